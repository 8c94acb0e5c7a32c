"""How the code must read, as far as a program can tell: `PYTHONPATH=tests python -m kits.house` prints what offends.

The files of the project enter, a line for each offence leaves: where it is and what is wrong with it. Names of classes
and aliases must mean one thing in the whole package, a docstring must say what a thing is without pointing elsewhere,
and a file must be short enough to be read at once.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path

HOME = Path(__file__).resolve().parents[2]
PACKAGE, TESTS = HOME / "src" / "pinakes", HOME / "tests"
LONGEST_FILE, LONGEST_TEST = 350, 400
_CAP_WORDS = re.compile(r"[A-Z][A-Za-z0-9]*[a-z][A-Za-z0-9]*")
_POINTS_ELSEWHERE = re.compile(r"\s*The same\b")
# To parse the whole package takes over a second, so only files that may offend are parsed.
_MAY_DEFINE = re.compile(
    rf"^[ \t]*(?:class[ \t]+({_CAP_WORDS.pattern})|({_CAP_WORDS.pattern})[ \t]*[:=])", re.MULTILINE
)
_MAY_POINT_ELSEWHERE = re.compile(rf"[\"']{_POINTS_ELSEWHERE.pattern}")


def names_twice(package: Path = PACKAGE) -> list[str]:
    """Public names of classes and aliases that are defined in several places."""
    files: dict[str, set[Path]] = {}
    for path, text in _texts(package):
        for of_class, of_alias in _MAY_DEFINE.findall(text):
            files.setdefault(of_class or of_alias, set()).add(path)
    homes: dict[str, list[str]] = {}
    for path in sorted({path for paths in files.values() if len(paths) > 1 for path in paths}):
        for name, line in _defined(_parsed(path).body):
            homes.setdefault(name, []).append(f"{path.relative_to(package)}:{line}")
    return [f"{name}: {', '.join(places)}" for name, places in sorted(homes.items()) if len(places) > 1]


def docstrings_elsewhere(package: Path = PACKAGE) -> list[str]:
    """Docstrings that begin with “The same”."""
    return [
        f"{path.relative_to(package)}:{node.lineno}: {node.value.value.strip().splitlines()[0]}"
        for path, text in _texts(package)
        if _MAY_POINT_ELSEWHERE.search(text)
        for node in ast.walk(_parsed(path))
        if isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
        and _POINTS_ELSEWHERE.match(node.value.value)
    ]


def long_files(folder: Path, longest: int) -> list[str]:
    """Files with more lines than they should have."""
    return [
        f"{path.relative_to(folder)}: {lines} lines"
        for path in sorted(folder.rglob("*.py"))
        if (lines := len(path.read_bytes().splitlines())) > longest
    ]


LAWS: Mapping[str, Callable[[], list[str]]] = {
    "A public class or alias is defined once in the package": names_twice,
    "No docstring begins with “The same”": docstrings_elsewhere,
    f"No file of the package has over {LONGEST_FILE} lines": lambda: long_files(PACKAGE, LONGEST_FILE),
    f"No file of the tests has over {LONGEST_TEST} lines": lambda: long_files(TESTS, LONGEST_TEST),
}
"""Each law and what tells who breaks it."""


def _texts(package: Path) -> Iterator[tuple[Path, str]]:
    for path in sorted(package.rglob("*.py")):
        yield path, path.read_text(encoding="utf-8")


def _parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _defined(body: Iterable[ast.stmt]) -> Iterator[tuple[str, int]]:
    """Public names in capitals that a module defines, those in its branches included, each once."""
    found: dict[str, int] = {}
    for node in body:
        if isinstance(node, ast.ClassDef):
            found.setdefault(node.name, node.lineno)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            for target in targets:
                if isinstance(target, ast.Name) and _CAP_WORDS.fullmatch(target.id):
                    found.setdefault(target.id, node.lineno)
        elif isinstance(node, ast.If | ast.Try):
            for name, line in _defined([*node.body, *node.orelse]):
                found.setdefault(name, line)
    yield from ((name, line) for name, line in found.items() if not name.startswith("_"))


def main() -> int:
    """Print what offends; exit 1 when something does."""
    found = {law: offences() for law, offences in LAWS.items()}
    for law, lines in found.items():
        sys.stdout.write(f"{law}: {f'{len(lines)} offend' if lines else 'kept'}\n")
        sys.stdout.writelines(f"  {line}\n" for line in lines)
    return 1 if any(found.values()) else 0


if __name__ == "__main__":
    sys.exit(main())
