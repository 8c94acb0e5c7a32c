"""Every language: what is a symbol, what belongs to it, and where names lead. Beside oracles: `benchmarks.code`."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from benchmarks.code.python import compare_imports, compare_symbols, installed_packages, standard_library

from pinakes.graph.names import names_of
from pinakes.graph.resolve import NameTable, resolve
from pinakes.parse import parse
from pinakes.prose import visible
from pinakes.records import CODE, Document, Raw, Ref, Span, Stamp, code_media_of

pytest.importorskip("tree_sitter_java", reason="needs the extra code")


def read(path: str, text: str | bytes) -> Document:
    data = text if isinstance(text, bytes) else text.encode()
    return parse(Raw(Stamp(Ref(CODE, path), "1", code_media_of(path.rpartition("/")[2])), data, "digest"))


def told(document: Document) -> list[str]:
    """Each symbol: its kind, anchor and signature, with a sign for what is not public."""
    made = []
    for section in document.sections[1:]:
        assert section.symbol is not None
        sign = "" if section.symbol.is_public else "-"
        made.append(f"{section.symbol.kind[0]} {sign}{section.anchor}{section.symbol.signature}")
    return made


def led(files: dict[str, str]) -> set[str]:
    """Where the links of some files lead, as ``a.py#f calls b.py#g``."""
    documents = {path: read(path, text) for path, text in files.items()}
    names = [name for one in documents.values() for name in names_of(one)]
    anchors = {
        path: {called: section.anchor for section in one.sections for called in (section.anchor, *section.aliases)}
        for path, one in documents.items()
    }
    table = NameTable(names, lambda path: anchors.get(path, {}))
    edges = [(one, resolve(one.ref, link, table)) for one in documents.values() for link in one.links]
    return {
        f"{Ref('', one.ref.path, one.sections[edge.link.section].anchor)} {edge.link.relation}"
        f" {Ref('', edge.to.path, edge.to.anchor)}".replace(" :", " ").removeprefix(":")
        for one, edge in edges
        if edge.to is not None
    }


def lines(found: Iterable[str]) -> str:
    return "\n".join(sorted(found))


SYMBOLS = {
    "a.py": (
        "LIMIT: int = 3\na, b = 1, 2\nclass A(Base):\n    field: str = ''\n    @property\n    def p(self): ...\n"
        "    async def m(self, *args: int, key=1) -> str:\n        def inner(): ...\n"
        "def _f(a='  ', b=['x  y',  # why\n  1]): ...\n",
        """
        v LIMIT: int | v a | v b | c A(Base) | p A.field: str | p A.p
        m A.m(*args: int, key=1) -> str | f A.m.inner() | f -_f(a='  ', b=['x  y', 1])""",
    ),
    "a.js": (
        "export default class A extends B { #x = 1; static y = () => 2; get z() { return 1 }\n"
        "  async m(a = 1, ...b) {} }\n"
        "const f = x => x, n = 2;\nfunction* g({a, b}) {}\nexports.h = function (c) {};\nA.prototype.k = () => 1;\n"
        "export { f as F };\n",
        """
        c A(B) | p -A.#x | m A.y() | p A.z | m A.m(a=1, ...b) | f f(x) | v -n | f -g({a, b}) | f h(c) | m A.k()""",
    ),
    "a.ts": (
        "export interface I<T> extends J { a?: string; m(x: T): void }\nenum E { A, B = 2 }\n"
        "namespace N { export const x = 1 }\nexport type U = string | number;\n"
        "abstract class C<T> implements I<T> { private a: string; constructor(public x: number, y?: string) {} }\n"
        "export function over(a: string): void;\nexport function over(a: number): void {}\n",
        """
        c I(J) | p I.a: string | m I.m(x: T) -> void | c -E | p E.A | p E.B | c -N | v N.x | v U | c -C(I<T>)
        p -C.a: string | m C.constructor(x: number, y?: string) | f over(a: number) -> void""",
    ),
    "a.tsx": ("export const Page = (props: Props) => <Box>{props.x}</Box>;\n", "f Page(props: Props)"),
    "a.c": (
        "#define LIMIT 3\n#define MAX(a, b) a\ntypedef struct { int x, *y; } point;\nenum color { RED };\n"
        "static int count;\nint add(const char *s, int n);\nEXPORTED extern void (*hook)(int);\n"
        "static struct point *\nmake(void)\n{\n  int local;\n  return 0;\n}\n",
        """
        v LIMIT | f MAX(a, b) | c point | p point.x: int | p point.y: int* | c color | p color.RED | v -count: int
        f add(s: const char*, n: int) -> int | v hook: void* | f -make() -> struct point*""",
    ),
    "a.hpp": (
        "namespace a { template <class T> class Foo : public Bar<T> {\n public: Foo(int x = 1); ~Foo(); void m();\n"
        "  bool operator==(const Foo& o) const { return true; }\n  T v; };\n"
        "template <class T> void Foo<T>::m() {} }\nusing X = int;\n",
        """
        c a | c a.Foo(Bar<T>) | m a.Foo.Foo(x: int = 1) | m a.Foo.~Foo()
        m a.Foo.operator==(o: const Foo&) -> bool | p a.Foo.v: T | m a.Foo.m() -> void | v X""",
    ),
    "a.go": (
        "package p\ntype T[K any] struct { A, b int; Other }\ntype I interface { Foo(a int) error }\n"
        "const C = 1\nvar x, Y int\nfunc (t *T[K]) M(a, b int) (int, error) { return 0, nil }\nfunc new_() {}\n",
        """
        c T(Other) | p T.A: int | p -T.b: int | c I | m I.Foo(a: int) -> error | v C | v -x: int | v Y: int
        m T.M(a: int, b: int) -> (int, error) | f -new_()""",
    ),
    "a.rs": (
        "#[derive(Debug)]\npub struct S<T> { pub a: u8, b: T }\npub enum E { A, B(u8) }\n"
        "trait Tr: Base { fn req(&self, x: u8) -> u8; }\nimpl<T> Tr for S<T> { fn req(&self, x: u8) -> u8 { x } }\n"
        "pub mod inner { pub async fn f() {} }\nconst C: u8 = 1;\nmacro_rules! mm { () => {} }\n",
        """
        c S | p S.a: u8 | p -S.b: T | c E | p E.A | p E.B | c -Tr(Base) | m Tr.req(x: u8) -> u8
        m S.req(x: u8) -> u8 | c inner | f inner.f() | v -C: u8 | f -mm""",
    ),
    "A.java": (
        "package a;\npublic class A<T> extends B<T> implements C {\n  private int x, y;\n  public A(int x) {}\n"
        "  @Override public <T> T m(final String s, int... v) { return null; }\n  enum E { ONE }\n"
        "  interface J { void k(); }\n  record R(int a) {}\n}\n",
        """
        c A(B<T>, C) | p -A.x: int | p -A.y: int | m A.A(x: int) | m A.m(s: String, ...v: int) -> T | c -A.E
        p A.E.ONE | c -A.J | m A.J.k() -> void | c -A.R""",
    ),
}


@pytest.mark.parametrize("path", SYMBOLS)
def test_symbols_of(path: str) -> None:
    text, expected = SYMBOLS[path]
    wanted = [one.strip() for line in expected.strip().split("\n") for one in line.split("|") if one.strip()]
    found = [one.replace(" | ", "/") for one in told(read(path, text))]
    assert found == wanted


PROSE = {
    "a.py": ("# Adds\n# numbers.\ndef add(): ...\n", "Adds numbers."),
    "a.ts": ("/**\n * Adds\n * numbers.\n */\nexport function add() {}\n", "Adds numbers."),
    "a.c": ("/* Adds\n   numbers. */\nint add(void) { return 0; }\n", "Adds numbers."),
    "a.go": ("package p\n\n// Adds\n// numbers.\nfunc add() {}\n", "Adds numbers."),
    "a.rs": ("/// Adds\n/// numbers.\n#[inline]\nfn add() {}\n", "Adds numbers."),
    "a.java": ("class A {\n  /** Adds numbers. */\n  void add() {}\n}\n", "Adds numbers."),
}


@pytest.mark.parametrize("path", PROSE)
def test_comments_above_a_definition_are_said_of_it(path: str) -> None:
    text, expected = PROSE[path]
    document = read(path, text)
    section = next(one for one in document.sections if one.title == "add")
    paragraph = next(block for block in document.blocks if block.span.start >= section.span.start)
    assert " ".join(visible(document, Span(*paragraph.span)).split()) == expected


RESOLVED = {
    "python": (
        {
            "src/ac/__init__.py": "from .run import run\n",
            "src/ac/run.py": "import json\nclass Base: ...\ndef run(): ...\n",
            "src/ac/json.py": "",
            "src/ac/main.py": "from ac import run\nfrom .run import Base\nclass Main(Base):\n    def go(self): run()\n",
        },
        """
        src/ac/__init__.py imports src/ac/run.py
        src/ac/__init__.py imports src/ac/run.py#run
        src/ac/main.py imports src/ac/__init__.py
        src/ac/main.py imports src/ac/run.py
        src/ac/main.py imports src/ac/run.py#Base
        src/ac/main.py imports src/ac/run.py#run
        src/ac/main.py#Main extends src/ac/run.py#Base
        src/ac/main.py#Main.go calls src/ac/run.py#run""",
    ),
    "python, above the root": (
        {"a/b/x.py": "def f(): ...\n", "a/b/c/d.py": "from .....x import f\nf()\n"},
        "",
    ),
    "go, versions": (
        {
            "pkg/a.go": "package pkg\n\nfunc Run() {}\n",
            "old/v3/a.go": "package old\n\nfunc Stop() {}\n",
            "main.go": (
                'package main\n\nimport (\n"example.com/me/it/pkg/v2"\n"example.com/me/it/old/v3"\n)\n\n'
                "func main() { pkg.Run(); old.Stop() }\n"
            ),
        },
        """
        main.go imports old/v3/a.go
        main.go imports pkg/a.go
        main.go#main calls old/v3/a.go#Stop
        main.go#main calls pkg/a.go#Run""",
    ),
    "typescript": (
        {
            "src/lib/index.ts": "export * from './tools';\n",
            "src/lib/tools.ts": "export default function main() {}\nexport const help = () => 1;\n",
            "src/app.tsx": (
                "import start, { help } from './lib/tools.js';\nimport { help as h } from '@/lib';\n"
                "export const App = () => { start(); help(); return <App />; };\n"
            ),
            "src/old.js": "const { help } = require('./lib/tools');\nimport('./app');\nhelp();\n",
            "src/lib/tools.py": "def help(): ...\n",
        },
        """
        src/app.tsx imports src/lib/index.ts
        src/app.tsx imports src/lib/tools.ts
        src/app.tsx imports src/lib/tools.ts#help
        src/app.tsx imports src/lib/tools.ts#main
        src/app.tsx#App calls src/lib/tools.ts#help
        src/app.tsx#App calls src/lib/tools.ts#main
        src/lib/index.ts imports src/lib/tools.ts
        src/old.js calls src/lib/tools.ts#help
        src/old.js imports src/app.tsx
        src/old.js imports src/lib/tools.ts
        src/old.js imports src/lib/tools.ts#help""",
    ),
    "c": (
        {
            "include/run.h": "int run(int n);\nstruct job { int id; };\n",
            "src/run.c": (
                '#include "../include/run.h"\nstatic int once(void) { return 1; }\nint run(int n) { return once(); }\n'
            ),
            "src/main.c": "#include <run.h>\nint main(void) { struct job j; return run(1) + once(); }\n",
            "src/other.c": "static int once(void) { return 2; }\n",
        },
        """
        src/main.c imports include/run.h
        src/main.c#main calls include/run.h#job
        src/main.c#main calls src/run.c#run
        src/run.c imports include/run.h
        src/run.c#run calls src/run.c#once""",
    ),
    "go": (
        {
            "go/tool/a.go": (
                "package tool\n\ntype Job struct{}\n\nfunc (t Job) Run() { t.help(); helper() }\n"
                "func (t Job) help() {}\n"
            ),
            "go/tool/b.go": "package tool\n\nfunc helper() Job { return Job{} }\n",
            "go/main.go": 'package main\n\nimport "example.com/me/go/tool"\n\nfunc main() { tool.helper() }\n',
        },
        """
        go/main.go imports go/tool/a.go
        go/main.go#main calls go/tool/b.go#helper
        go/tool/a.go#Job.Run calls go/tool/a.go#Job
        go/tool/a.go#Job.Run calls go/tool/a.go#Job.help
        go/tool/a.go#Job.Run calls go/tool/b.go#helper
        go/tool/a.go#Job.help calls go/tool/a.go#Job
        go/tool/b.go#helper calls go/tool/a.go#Job""",
    ),
    "rust": (
        {
            "src/main.rs": "mod run;\nuse crate::run::{go, Job};\nfn main() { go(); Job::new(); run::go(); }\n",
            "src/run.rs": (
                "pub struct Job;\nimpl Job { pub fn new() {} pub fn two(&self) { Self::new(); super::main() } }\n"
                "pub fn go() {}\n"
            ),
        },
        """
        src/main.rs imports src/run.rs
        src/main.rs imports src/run.rs#Job
        src/main.rs imports src/run.rs#go
        src/main.rs#main calls src/run.rs#Job.new
        src/main.rs#main calls src/run.rs#go
        src/run.rs calls src/run.rs#Job
        src/run.rs#Job.two calls src/main.rs#main
        src/run.rs#Job.two calls src/run.rs#Job.new""",
    ),
    "java": (
        {
            "src/a/Main.java": (
                "package a;\nimport b.Tool;\nimport b.more.*;\n"
                "class Main extends Near { void go() { Tool.run(); go(); new Far(); } }\n"
            ),
            "src/a/Near.java": "package a;\nclass Near {}\n",
            "src/b/Tool.java": "package b;\npublic class Tool { public static void run() {} }\n",
            "src/b/more/Far.java": "package b.more;\npublic class Far {}\n",
        },
        """
        src/a/Main.java imports src/b/Tool.java
        src/a/Main.java imports src/b/Tool.java#Tool
        src/a/Main.java#Main extends src/a/Near.java#Near
        src/a/Main.java#Main.go calls src/b/Tool.java#Tool.run
        src/a/Main.java#Main.go calls src/b/more/Far.java#Far""",
    ),
}


@pytest.mark.parametrize("language", RESOLVED)
def test_names_lead_where_the_language_says(language: str) -> None:
    files, expected = RESOLVED[language]
    assert lines(led(files)) == lines(line.strip() for line in expected.strip().split("\n"))


WRITTEN = f"// {'x' * 900}\n" * 500
"""Enough in lines of people that a long one does not make a file look generated."""


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", "def f(): 0\n" * 40_000),
        ("a.c", "int f(int a);\n" + "int g(int a) { return 1; }\n" * 30_000),
        ("a.c", "/* a" + " " * 300_000 + "b */\n" + WRITTEN),
        ("a.c", "/* a" + "*" * 300_000 + "b */\n" + WRITTEN),
        ("a.c", "// first\nint a; " + "int b; " * 30_000 + "\n" + "int c;\n" * 35_000),
        ("a.py", "def f():\n    pass\n\n# said of nothing\n\n" * 20_000),
    ],
    ids=["equal names", "functions of C", "blanks", "stars", "a long line", "comments"],
)
def test_a_file_is_read_in_time_by_its_length(path: str, text: str) -> None:
    document = read(path, text)
    assert names_of(document)
    assert not document.warnings


@pytest.mark.parametrize(
    ("comment", "expected"),
    [
        ("/* a */", "a"),
        ("/** a **/", "a"),
        ("/*\n * a ** b\n ***/", "a ** b"),
        ("/* a* b */", "a* b"),
        ("/* a ** **/", "a **"),
        ("/* */", ""),
    ],
)
def test_the_signs_of_a_comment_are_not_its_text(comment: str, expected: str) -> None:
    document = read("a.c", f"{comment}\nint a;\n")
    shown = visible(document, Span(0, len(comment)))
    assert shown.strip() == expected


def test_python_is_read_as_ast_reads_it() -> None:
    root, paths = standard_library()
    found = compare_symbols(root, [path for path in paths if path.startswith(("asyncio/", "json/"))])
    assert found.both > 500
    assert found.share >= 0.98, found.told("standard library")


def test_imports_of_a_package_lead_where_python_finds_them() -> None:
    packages = [folder for folder in installed_packages(40) if len(list(folder.rglob("*.py"))) < 60]
    if not packages:
        pytest.skip("no package of a fitting size is installed")
    found = compare_imports(packages[0])
    assert found.share >= 0.98, found.told(packages[0].name)


def test_a_line_that_nobody_wrote_does_not_hide_what_people_wrote(tmp_path: Path) -> None:
    data = "x = '" + "a" * 9_000 + "'\n" + "def kept(): ...\n" * 2_000
    assert [one for one in told(read("a.py", data)) if one.startswith("f kept()")]
    packed = read("a.js", "function f(){return 1}" * 5_000)
    assert told(packed) == []
    assert "looks generated" in packed.warnings[0]
