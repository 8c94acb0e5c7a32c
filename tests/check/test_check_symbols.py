"""What `check` finds between documents and the source code they speak of."""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.commit import commit, repository
from kits.trees import write_tree
from pinakes import open as open_library
from pinakes.check import Code, Finding, Severity
from pinakes.check.wording import Wording
from pinakes.errors import NotFound
from pinakes.graph.mentions import mentions_of
from pinakes.parse import parse
from pinakes.records import DOCS, Raw, Ref, Stamp
from pinakes.records.formats import MARKDOWN

pytest.importorskip("tree_sitter_python", reason="needs the extra code")

PAGE = """# Guide

## Compaction

`Context.compact(limit)` leaves out turns. It is in `src/ac/context.py`.

## Loading

`ac.context.load` reads a file; `--verbose` says more.

## Careful

`Context` is named, and `limit` is a word here.
"""
CODE = """OPTIONS = ["--verbose"]


class Context:
    def compact(self, limit=0): ...

    def close(self): ...


def load(path, strict=False):
    return path
"""
SETTINGS = {"pinakes.toml": "[code]\nenabled = true\n"}


def found(folder: Path, under: str = "", *, undocumented: bool = False) -> list[Finding]:
    with open_library(folder) as library:
        library.sync(corpora=("docs", "code"))
        every = library.check(under, undocumented=undocumented)
    return [one for one in every if one.code is not Code.ORPHAN]


def drifts(folder: Path) -> list[str]:
    assert {one.code for one in found(folder)} <= {Code.DRIFT}
    return [
        f"{one.ref.anchor}:{one.line} {one.message.removesuffix(', after this section was last touched')}"
        + (f" → {one.suggestion}" if one.suggestion else "")
        for one in found(folder)
    ]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = repository(tmp_path)
    commit(made, {**SETTINGS, "guide.md": PAGE, "src/ac/context.py": CODE}, day=1)
    return made


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("return path", "return str(path)"),
        (
            "def compact(self, limit=0): ...",
            "@cached\n    def compact(\n        self, limit: int = 0\n    ) -> None: ...",
        ),
        ("limit=0", "limit=0, keep=None"),
        ("strict=False", "strict=True"),
        ('["--verbose"]', '["--verbose", "--quiet"]'),
        ("def close(self): ...", "def end(self): ..."),
    ],
    ids=["a body", "formatting and types", "a new option", "what the section does not name", "other flags", "others"],
)
def test_what_no_section_speaks_of_is_no_drift(folder: Path, before: str, after: str) -> None:
    commit(folder, {"src/ac/context.py": CODE.replace(before, after)}, day=2)
    assert drifts(folder) == []


@pytest.mark.parametrize(
    ("before", "after", "told"),
    [
        ("limit=0", "most=0", "its parameter limit is called most now"),
        ("(self, limit=0)", "(self)", "its parameter limit is gone"),
        ("limit=0", "limit=10", "the default of its parameter limit is 10 and was 0"),
        ("limit=0", "turns, limit=0", "it takes a parameter turns now"),
        ("    def compact", "    async def compact", "is asynchronous now"),
    ],
)
def test_a_changed_signature_is_told_of_where_a_section_shows_it(
    folder: Path, before: str, after: str, told: str
) -> None:
    commit(folder, {"src/ac/context.py": CODE.replace(before, after, 1)}, day=2)
    assert drifts(folder) == [f"compaction:5 Context.compact has changed: {told}"]
    commit(folder, {"guide.md": PAGE.replace("leaves out turns", "leaves turns out")}, day=3)
    assert drifts(folder) == []


def test_a_symbol_that_moved_or_is_gone_is_told_of(folder: Path) -> None:
    commit(folder, {"src/ac/context.py": CODE.replace("def load(", "def read(")}, day=2)
    assert drifts(folder) == ["loading:9 load was removed from src/ac/context.py"]
    moved = CODE.partition("def load")[0], "def load" + CODE.partition("def load")[2]
    commit(folder, {"src/ac/context.py": moved[0], "src/ac/files.py": moved[1]}, day=3)
    assert drifts(folder) == ["loading:9 load was moved from src/ac/context.py to src/ac/files.py → ac.files.load"]


def test_a_symbol_is_followed_when_its_file_moves(folder: Path) -> None:
    commit(folder, {"src/ac/context.py": None, "src/ac/contexts.py": CODE}, day=2)
    commit(folder, {"src/ac/contexts.py": CODE.replace("limit=0", "most=0")}, day=3)
    changed, moved = drifts(folder)
    assert changed == "compaction:5 Context.compact has changed: its parameter limit is called most now"
    assert moved.startswith("compaction:5 src/ac/context.py was moved to src/ac/contexts.py")


def test_a_method_of_a_class_that_is_defined_twice_is_found(folder: Path) -> None:
    twice = "if x:\n    class A: ...\nelse:\n    class A:\n        def {}\n"
    page = "# Guide\n\n`ac.context.load` and `A.work(size)`.\n"
    commit(folder, {"guide.md": page, "src/ac/other.py": twice.format("work(self, size): ...")}, day=2)
    moved = twice.format("work(self): ...\n        def load(self): ...")
    commit(folder, {"src/ac/context.py": "class Context: ...\n", "src/ac/other.py": moved}, day=3)
    assert drifts(folder) == [
        "guide:3 A.work has changed: its parameter size is gone",
        "guide:3 load was moved from src/ac/context.py to src/ac/other.py → other.A.load",
    ]


def test_words_are_those_said_in_one_breath_with_a_name() -> None:
    text = "# `Head`\n\n- `one.a` has `x`\n  - `two.b` has `y`\n\n| `c.d` | `z` |\n|---|---|\n| `e.f` | `w` |\n\n"
    document = parse(Raw(Stamp(Ref(DOCS, "a.md"), "", MARKDOWN), (text + "```\nb(v)\n```\n").encode(), "1"))
    wording = Wording(document)
    assert {one.name: sorted(wording.around(one)) for one in mentions_of(document)} == {
        "Head": ["Head", "a", "b", "c", "d", "e", "f", "one", "two", "w", "x", "y", "z"],
        "one.a": ["a", "b", "one", "two", "x", "y"],
        "two.b": ["b", "two", "v", "y"],
        "c.d": ["c", "d", "z"],
        "e.f": ["e", "f", "w"],
    }


def test_words_are_found_in_time_by_the_length_of_a_document() -> None:
    text = "# Names\n\n" + "- `A.work` and `B.work`\n" * 15_000 + "\n```\nwork(size)\n```\n" * 3_000
    document = parse(Raw(Stamp(Ref(DOCS, "a.md"), "", MARKDOWN), text.encode(), "1"))
    wording = Wording(document)
    assert all("size" in wording.around(one) for one in mentions_of(document))


def test_change_logs_tell_of_the_past(tmp_path: Path) -> None:
    folder = repository(tmp_path)
    commit(folder, {**SETTINGS, "CHANGELOG.md": PAGE, "src/ac/context.py": CODE}, day=1)
    commit(folder, {"src/ac/context.py": "def other(): ...\n"}, day=2)
    assert drifts(folder) == []


def test_an_option_made_from_a_parameter_is_not_gone(folder: Path) -> None:
    commit(folder, {"src/ac/context.py": CODE.replace('["--verbose"]', "[dict(verbose=True)]")}, day=2)
    assert drifts(folder) == []


LINKED = {
    **SETTINGS,
    "docs/a.md": (
        "# A\n\n[one](../src/a.py#Context.compct), [two](../src/a.py#Context.compact), [three](../src/a.py#L3),\n"
        "[four](../src/a.py#nothing), [five](../data.json#x), `Gone.method`.\n"
    ),
    "src/a.py": '"""See docs/a.md#nowhere, docs/a.md#a and docs/none.md#x."""\n\n\n' + CODE,
    "data.json": "{}",
}


def test_a_link_to_a_symbol_that_is_not_there_is_a_broken_anchor(tmp_path: Path) -> None:
    write_tree(tmp_path, LINKED)
    told = [(str(one.ref), one.line, one.code, one.message, one.suggestion) for one in found(tmp_path)]
    assert told == [
        (
            "docs:docs/a.md#a",
            3,
            Code.BROKEN_ANCHOR,
            "“../src/a.py#Context.compct”: src/a.py has no such symbol",
            "../src/a.py#Context.compact",
        ),
        ("docs:docs/a.md#a", 4, Code.BROKEN_ANCHOR, "“../src/a.py#nothing”: src/a.py has no such symbol", ""),
        ("code:src/a.py", 1, Code.BROKEN_ANCHOR, "“docs/a.md#nowhere”: docs/a.md has no such section", ""),
    ]
    assert [str(one.ref) for one in found(tmp_path, "src")] == ["code:src/a.py"]
    assert [str(one.ref) for one in found(tmp_path, "code:src/a.py")] == ["code:src/a.py"]


def test_public_symbols_that_no_document_mentions_are_listed_by_file_when_asked(tmp_path: Path) -> None:
    write_tree(
        tmp_path,
        {
            **SETTINGS,
            "a.md": "# A\n\n`Context` and\n\n```python\nload('x')\n```\n",
            "src/a.py": CODE + "\n\ndef _hidden(): ...\n\n\nclass Other:\n    def deep(self): ...\n",
            "src/_private.py": "def nobody(): ...\n",
            "tests/test_a.py": "def test_it(): ...\n",
        },
    )
    assert found(tmp_path) == []
    (only,) = found(tmp_path, undocumented=True)
    assert (only.code, only.severity, str(only.ref)) == (Code.UNDOCUMENTED, Severity.NOTICE, "code:src/a.py")
    assert only.message == "no document mentions Context.compact, Context.close, Other"
    assert only.line == CODE[: CODE.index("def compact")].count("\n") + 1


def test_methods_outside_of_their_class_are_mentioned_by_their_own_name(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter_go", reason="needs the extra code")
    code = "package a\n\ntype Server struct{}\n\nfunc (s *Server) Start() {}\n\nfunc (s *Server) Stop() {}\n"
    hidden = "\ntype Other struct{}\n\nfunc (s *Other) Deep() {}\n"
    write_tree(tmp_path, {**SETTINGS, "a.md": "# A\n\n`Server.Start`\n", "a.go": code + hidden})
    assert [one.message for one in found(tmp_path, undocumented=True)] == ["no document mentions Server.Stop, Other"]


def test_undocumented_symbols_need_code(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.md": "# A\n"})
    with open_library(tmp_path) as library:
        library.sync()
        with pytest.raises(NotFound, match="Source code is not read"):
            library.check(undocumented=True)


C_PAGE = "# Guide\n\n`parse_thing(limit)` parses.\n"
C_HEADER = "int parse_thing(int limit);\n"
C_SOURCE = '#include "lib.h"\n\nint parse_thing(int limit) { return limit; }\n'


def test_a_function_of_c_and_its_declaration_are_one(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter_c", reason="needs the extra code")
    folder = repository(tmp_path)
    commit(folder, {**SETTINGS, "guide.md": C_PAGE, "native/lib.h": C_HEADER, "native/lib.c": C_SOURCE}, day=1)
    assert drifts(folder) == []
    with open_library(folder) as library:
        mentioned = {str(edge.to) for edge in library.links("guide.md").outgoing}
        assert mentioned == {"code:native/lib.c#parse_thing"}
    changed = {name: text.replace("limit", "most") for name, text in (("lib.h", C_HEADER), ("lib.c", C_SOURCE))}
    commit(folder, {f"native/{name}": text for name, text in changed.items()}, day=2)
    assert drifts(folder) == ["guide:3 parse_thing has changed: its parameter limit is called most now"]


def test_another_function_of_the_same_name_is_another(tmp_path: Path) -> None:
    pytest.importorskip("tree_sitter_c", reason="needs the extra code")
    files = {"native/lib.h": C_HEADER, "native/lib.c": C_SOURCE, "other/a.c": C_SOURCE}
    write_tree(tmp_path, {**SETTINGS, "guide.md": C_PAGE, **files})
    with open_library(tmp_path) as library:
        library.sync()
        assert not library.links("guide.md").outgoing


def test_a_link_to_a_symbol_mentions_it(tmp_path: Path) -> None:
    links = "[c](src/ac/context.py#Context) and [d](src/ac/context.py#Context.close); [e](other.md#load)\n"
    write_tree(tmp_path, {**SETTINGS, "guide.md": f"# Guide\n\n{links}", "src/ac/context.py": CODE})
    told = [one.message for one in found(tmp_path, undocumented=True) if one.code is Code.UNDOCUMENTED]
    assert told == ["no document mentions Context.compact, load"]
