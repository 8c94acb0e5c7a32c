"""Python beside `ast`, and its imports beside what Python itself would find in a package."""

from __future__ import annotations

import ast
import sys
import sysconfig
import warnings
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import resolve_name
from pathlib import Path

from benchmarks.code.symbols import Comparison, Seen, files_below, read_as_code
from pinakes.graph.names import names_of
from pinakes.graph.resolve import NameTable, resolve
from pinakes.records import Document, LinkForm, Relation, SymbolKind, SymbolParameter

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_PROPERTIES = ("property", "cached_property", "functools.cached_property", "abc.abstractproperty")


def standard_library() -> tuple[Path, list[str]]:
    """Its folder and its files, without what is installed beside them and what tests keep broken on purpose."""
    root = Path(sysconfig.get_path("stdlib"))
    left_out = ("site-packages/", "dist-packages/", "lib2to3/tests/data/", "test/bad", "config-")
    return root, [path for path in files_below(root, (".py",)) if not any(part in path for part in left_out)]


def installed_packages(most: int = 10) -> list[Path]:
    """The packages with the most files of Python in this environment."""
    folders = {Path(one) for one in sys.path if one.endswith("-packages") and Path(one).is_dir()}
    packages = (one for folder in folders for one in folder.iterdir() if (one / "__init__.py").is_file())
    found = [(len(list(one.rglob("*.py"))), one) for one in packages]
    return [folder for count, folder in sorted(found, key=lambda pair: (-pair[0], pair[1].name)) if count > 4][:most]


def compare_symbols(root: Path, paths: Sequence[str]) -> Comparison:
    """Names, kinds, parameters and lines of every symbol."""
    found = Comparison()
    for path in paths:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                tree = ast.parse((root / path).read_bytes())
        except (SyntaxError, ValueError, RecursionError):
            continue  # Python itself does not read it
        found.add(_ours(read_as_code(root, path)), _theirs(tree, path))
    return found


def _ours(document: Document) -> Iterator[Seen]:
    for section in document.sections[1:]:
        symbol = section.symbol
        assert symbol is not None
        end = section.lines.end if symbol.kind not in (SymbolKind.VARIABLE, SymbolKind.PROPERTY) else 0
        parameters = None
        if symbol.parameters is not None:
            parameters = tuple(
                SymbolParameter(one.name, _tidy(one.type), _tidy(one.default)) for one in symbol.parameters
            )
        yield Seen(document.ref.path, section.title, symbol.kind, symbol.line + 1, end, parameters)


@cache
def _tidy(text: str) -> str:
    """An expression as `ast` would write it."""
    if not text:
        return ""
    try:
        return ast.unparse(ast.parse(f"({text})", mode="eval"))
    except SyntaxError:
        return text


def _theirs(tree: ast.AST, path: str, holder: str = "module") -> Iterator[Seen]:
    """Every function and class, and what modules and classes assign directly."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, _Function):
            kind = SymbolKind.METHOD if holder == "class" else SymbolKind.FUNCTION
            if kind is SymbolKind.METHOD and any(ast.unparse(one) in _PROPERTIES for one in node.decorator_list):
                kind = SymbolKind.PROPERTY
            end = (node.end_lineno or 0) if kind is not SymbolKind.PROPERTY else 0
            yield Seen(path, node.name, kind, node.lineno, end, tuple(_parameters(node.args)))
            yield from _theirs(node, path, "function")
        elif isinstance(node, ast.ClassDef):
            yield Seen(path, node.name, SymbolKind.CLASS, node.lineno, node.end_lineno or 0)
            yield from _theirs(node, path, "class")
        else:
            if isinstance(tree, ast.Module | ast.ClassDef):
                kind = SymbolKind.PROPERTY if isinstance(tree, ast.ClassDef) else SymbolKind.VARIABLE
                for name in _assigned(node):
                    yield Seen(path, name.id, kind, name.lineno)
            yield from _theirs(node, path, holder)


def _assigned(node: ast.AST) -> Iterator[ast.Name]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    for one in targets:
        inner = one.elts if isinstance(one, ast.Tuple) else [one]
        yield from (name for name in inner if isinstance(name, ast.Name))


def _parameters(given: ast.arguments) -> Iterator[SymbolParameter]:
    placed = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(placed) - len(given.defaults)) + list(given.defaults)
    for at, (one, default) in enumerate(zip(placed, defaults, strict=True), 1):
        yield _parameter(one, default)
        if at == len(given.posonlyargs):
            yield SymbolParameter("/")
    if given.vararg is not None:
        yield _parameter(given.vararg, None, "*")
    elif given.kwonlyargs:
        yield SymbolParameter("*")
    for one, default in zip(given.kwonlyargs, given.kw_defaults, strict=True):
        yield _parameter(one, default)
    if given.kwarg is not None:
        yield _parameter(given.kwarg, None, "**")


def _parameter(one: ast.arg, default: ast.expr | None, stars: str = "") -> SymbolParameter:
    shape = ast.unparse(one.annotation) if one.annotation is not None else ""
    return SymbolParameter(stars + one.arg, _tidy(shape), _tidy(ast.unparse(default)) if default is not None else "")


def compare_imports(package: Path) -> Comparison:
    """Where every import of a package's files leads inside of it, by the rules of Python."""
    root = package.parent
    paths = [path for path in files_below(package, (".py",)) if "site-packages" not in path]
    documents = {f"{package.name}/{path}": read_as_code(root, f"{package.name}/{path}") for path in paths}
    names = [name for document in documents.values() for name in names_of(document)]
    anchors = {path: {one.anchor: one.anchor for one in each.sections} for path, each in documents.items()}
    table = NameTable(names, lambda path: anchors.get(path, {}))
    found = Comparison()
    for path, document in documents.items():
        try:
            tree = ast.parse(document.source)
        except (SyntaxError, ValueError):
            continue
        found.add(_our_imports(document, table), set(_their_imports(tree, path, documents)))
    return found


def _our_imports(document: Document, table: NameTable) -> set[Seen]:
    edges = [
        resolve(document.ref, link, table)
        for link in document.links
        if link.form is LinkForm.SYMBOL and link.relation is Relation.IMPORTS and "#" not in link.target
    ]
    return {Seen(document.ref.path, edge.to.path, "import", 0) for edge in edges if edge.to is not None}


def _their_imports(tree: ast.AST, path: str, known: dict[str, Document]) -> Iterator[Seen]:
    name = path.removesuffix(".py").replace("/", ".")
    package = name.removesuffix(".__init__") if name.endswith("__init__") else name.rpartition(".")[0]
    is_program = not any(_is_of(node, path.partition("/")[0]) for node in ast.walk(tree))
    for node in ast.walk(tree):
        modules: list[str] = []
        if isinstance(node, ast.Import):
            modules = [one.name for one in node.names]
        elif isinstance(node, ast.ImportFrom):
            relative = "." * node.level + (node.module or "")
            try:
                modules = [resolve_name(relative, package)]
            except ImportError:
                continue
        for module in modules:
            if module.partition(".")[0] not in sys.stdlib_module_names and (
                file := _file(module, path, known, is_program=is_program)
            ):
                yield Seen(path, file, "import", 0)


def _file(module: str, path: str, known: dict[str, Document], *, is_program: bool) -> str:
    """Where Python finds a module: below the folder of the package, or else below one around the importing file, which
    programs put on the path before they import a package from there; a program finds what lies beside it."""
    place = module.replace(".", "/")
    folders = [""]
    if "." in module or is_program:
        folders += [path[:at] for at in range(len(path), 0, -1) if path[at - 1] == "/"]
    found = (f"{folder}{place}{end}" for folder in folders for end in ("/__init__.py", ".py"))
    return next((file for file in found if file in known), "")


def _is_of(node: ast.AST, package: str) -> bool:
    """Whether a statement imports from the package that its file lies in."""
    if isinstance(node, ast.ImportFrom):
        return node.level > 0 or (node.module or "").partition(".")[0] == package
    return isinstance(node, ast.Import) and any(one.name.partition(".")[0] == package for one in node.names)
