"""How large is the house? `python -m benchmarks.size` counts lines of Python by room, beside the first figures.

A folder enters, a table leaves: files and lines of each room, and how many lines are code, documentation, comments and
blank; then the largest files. A line inside a docstring is documentation even when it is blank.
"""

from __future__ import annotations

import argparse
import ast
import io
import sys
import tokenize
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

HOME = Path(__file__).resolve().parents[1] / "src" / "pinakes"
LARGEST = 10


@dataclass(frozen=True, slots=True)
class Size:
    """The lines of one file, or of many together."""

    lines: int = 0
    code: int = 0
    docstrings: int = 0
    comments: int = 0
    blank: int = 0
    files: int = 0

    def __add__(self, other: Size) -> Size:
        return Size(
            self.lines + other.lines,
            self.code + other.code,
            self.docstrings + other.docstrings,
            self.comments + other.comments,
            self.blank + other.blank,
            self.files + other.files,
        )


FIRST = Size(lines=50_071, code=34_721, docstrings=6_470, comments=210, blank=8_670, files=445)
"""All of `src` at commit c3f8cea, the last one before the house was straightened."""


def size_of(text: str) -> Size:
    """What the lines of a module are; a comment behind code is code."""
    kinds = ["blank" if not line.strip() else "code" for line in text.splitlines()]
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT and token.line.strip().startswith("#"):
            kinds[token.start[0] - 1] = "comments"
    for node in ast.walk(ast.parse(text)):
        # Text that stands alone documents what is above it: a module, a class, a function or a field.
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            kinds[node.lineno - 1 : node.end_lineno] = ["docstrings"] * ((node.end_lineno or 0) - node.lineno + 1)
    count = Counter(kinds)
    return Size(len(kinds), count["code"], count["docstrings"], count["comments"], count["blank"], 1)


def sizes(home: Path) -> dict[Path, Size]:
    """The size of every module, by its path in the package."""
    return {path.relative_to(home): size_of(path.read_text(encoding="utf-8")) for path in sorted(home.rglob("*.py"))}


def report(files: dict[Path, Size]) -> str:
    """Two tables: by room, and the largest files."""
    rooms: dict[str, Size] = {}
    for path, size in files.items():
        room = path.parts[0] if len(path.parts) > 1 else "."
        rooms[room] = rooms.get(room, Size()) + size
    whole = sum(rooms.values(), Size())
    lines = ["| room | files | lines | code | docstrings | comments | blank |", f"|---|{'---:|' * 6}"]
    lines += [_row(room, size) for room, size in sorted(rooms.items(), key=lambda pair: -pair[1].lines)]
    lines += [
        _row("**all**", whole),
        _row("first", FIRST),
        f"| change | {whole.files - FIRST.files:+,} | {whole.lines - FIRST.lines:+,} | | | | |",
        "",
        "| largest files | lines |\n|---|---:|",
    ]
    largest = sorted(files.items(), key=lambda pair: (-pair[1].lines, pair[0]))[:LARGEST]
    lines += [f"| {path.as_posix()} | {size.lines} |" for path, size in largest]
    return "\n".join(lines)


def _row(name: str, size: Size) -> str:
    counts = (size.files, size.lines, size.code, size.docstrings, size.comments, size.blank)
    return f"| {name} | {' | '.join(f'{count:,}' for count in counts)} |"


def main(arguments: list[str] | None = None) -> int:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=HOME, help="another package")
    print(report(sizes(parser.parse_args(arguments).folder)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
