"""How well are org, AsciiDoc and reStructuredText read, beside the programs that everyone else reads them with?

``python -m benchmarks.markup FOLDER [--npm FOLDER] [--most N]``

Files enter; shares leave: headings with level and text, blocks of code with language and lines, links between double
brackets, ids. The programs are uniorg-parse and Asciidoctor.js, which npm brings, and docutils where it is installed;
of its blocks of code only the number is compared. ``--most`` says how many differences are shown.
"""

from __future__ import annotations

import argparse
import html
import json
import re
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from benchmarks import markup_docutils
from benchmarks.code.symbols import bring, files_below
from pinakes.parse import parse
from pinakes.parse.org import TODO_WORDS
from pinakes.records import Document, LinkForm, Raw, Ref, Stamp, media_of

PROGRAMS = {"org": "uniorg-parse@3", "adoc": "asciidoctor@3"}
_TAG = re.compile(r"<[^<>]+>")
_FENCE = re.compile(r"\s*(?:#\+(?:begin|end)_.*|-{4,}|\.{4,}|```.*)\Z", re.IGNORECASE)
_SIGNS = re.compile(r"[`*|\\]")
_FIXED = re.compile(r"\s*: ?")
_ESCAPED = re.compile(r"\A,+(?=\*|#\+)")
_BRACKETS = re.compile(rb"\[\[((?:[^\[\]\\]|\\.)+)\]")


@dataclass(slots=True)
class Side:
    """One kind of thing, as both sides see it."""

    both: int = 0
    ours: list[tuple[str, Any]] = field(default_factory=list)
    """Path and thing, of what only we see."""
    theirs: list[tuple[str, Any]] = field(default_factory=list)

    def add(self, path: str, ours: Iterable[Any], theirs: Iterable[Any]) -> None:
        """What one file holds."""
        mine, other = Counter(ours), Counter(theirs)
        self.both += (mine & other).total()
        self.ours += [(path, one) for one in (mine - other).elements()]
        self.theirs += [(path, one) for one in (other - mine).elements()]

    def told(self, name: str, most: int) -> str:
        """The figure, and the first of the differences."""
        lines = [f"  {name}: {self.both:,} of {self.both + len(self.theirs):,}, and {len(self.ours):,} only here"]
        for side, found in (("only ours", self.ours), ("only theirs", self.theirs)):
            lines += [f"    {side}: {path} {thing!r}"[:240] for path, thing in found[:most]]
        return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="what holds the files")
    parser.add_argument("--npm", type=Path, default=Path(".node/markup"), help="where npm brings packages to")
    parser.add_argument("--most", type=int, default=5, help="how many differences of each kind are shown")
    chosen = parser.parse_args()
    npm = chosen.npm.absolute()
    problem = bring(npm, tuple(PROGRAMS.values()))
    if problem:
        print(problem)
        return
    for ending, program in PROGRAMS.items():
        paths = files_below(chosen.folder, (f".{ending}",))
        sides, failed = compare(chosen.folder, ending, paths, npm)
        print(f".{ending} beside {program}: {len(paths) - failed:,} files, {failed} that it cannot read")
        print("\n".join(side.told(name, chosen.most) for name, side in sides.items()))
    problem = markup_docutils.prepare()
    if problem:
        print(problem)
        return
    paths = files_below(chosen.folder, (".rst",))
    sides, failed = compare_rst(chosen.folder, paths)
    print(f".rst beside {markup_docutils.PROGRAM}: {len(paths) - failed:,} files, {failed} that it cannot read")
    print("\n".join(side.told(name, chosen.most) for name, side in sides.items()))


def compare_rst(root: Path, paths: list[str]) -> tuple[dict[str, Side], int]:
    """What both see in files of reStructuredText, and how many files docutils fails at."""
    sides, failed = {"headings": Side(), "code": Side()}, 0
    for path in paths:
        data = (root / path).read_bytes()
        theirs = markup_docutils.seen(data)
        if "error" in theirs:
            failed += 1
            continue
        document = _parsed(path, data)
        headings = ((section.level, _unmarked(section.title)) for section in document.sections[1:])
        sides["headings"].add(path, headings, ((level, _unmarked(title)) for level, title in theirs["headings"]))
        sides["code"].add(path, ["block"] * len(document.code), ["block"] * theirs["blocks"])
    return sides, failed


def _parsed(path: str, data: bytes) -> Document:
    return parse(Raw(Stamp(Ref("docs", path), "", media_of(path)), data, ""))


def _unmarked(title: str) -> str:
    """A title without the signs of its markup, which docutils takes away."""
    return " ".join(_SIGNS.sub("", title).split())


def compare(root: Path, ending: str, paths: list[str], npm: Path) -> tuple[dict[str, Side], int]:
    """What both see in the files, and how many files the other program fails at."""
    script = Path(__file__).with_suffix(".mjs")
    command = ["node", str(script), str(npm), ending, ",".join(sorted(TODO_WORDS))]
    asked = "\n".join(str((root / path).absolute()) for path in paths)
    answer = subprocess.run(command, input=asked, capture_output=True, text=True, check=True).stdout
    sides = {name: Side() for name in ("headings", "code", "ids", *(("links",) if ending == "org" else ()))}
    failed = 0
    for path, line in zip(paths, answer.splitlines(), strict=True):
        theirs = json.loads(line)
        if "error" in theirs:
            failed += 1
            continue
        document = _parsed(path, (root / path).read_bytes())
        headings = ((section.level, _plain(section.title)) for section in document.sections[1:])
        sides["headings"].add(path, headings, ((level, _plain(title)) for level, title in theirs["headings"]))
        sides["code"].add(path, _our_code(document), ((name, _lines(text)) for name, text in theirs["code"]))
        anchors = document.anchors()
        sides["ids"].add(path, (name for name in theirs["ids"] if name in anchors), theirs["ids"])
        if "links" in sides:
            sides["links"].add(path, _brackets(document), (" ".join(link.split()) for link in theirs["links"]))
    return sides, failed


def _plain(title: str) -> str:
    return " ".join(html.unescape(_TAG.sub("", title)).replace("’", "'").replace("\u200b", "").split())


def _our_code(document: Document) -> Iterator[tuple[str, str]]:
    for block in document.code:
        lines = document.text(block.span).splitlines()
        if _FENCE.match(lines[0]):
            lines = lines[1:-1] if _FENCE.match(lines[-1]) else lines[1:]
        elif document.stamp.media.name == "org":
            lines = [_FIXED.sub("", line, count=1) for line in lines]
        yield block.language, _lines("\n".join(_ESCAPED.sub("", line.lstrip()) for line in lines))


def _lines(code: str) -> str:
    """Code without the space that its indentation and the marks around it make."""
    return "\n".join(line.strip() for line in code.strip().splitlines())


def _brackets(document: Document) -> Iterator[str]:
    for link in document.links:
        found = _BRACKETS.match(document.source, link.span.start, link.span.end)
        if found and link.form in (LinkForm.LINK, LinkForm.IMAGE):
            yield " ".join(found[1].decode("utf-8", "replace").split())


if __name__ == "__main__":
    main()
