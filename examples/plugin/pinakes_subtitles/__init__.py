"""Subtitles as documents of Pinakes, and a check for words that the house does not use."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from pinakes.plugins import FinderPlugin, FormatPlugin, MadeText, PlainDocument, PlainFinding

_CUE = re.compile(r"(?:(\d+):)?(\d\d):(\d\d)[.,]\d{3} --> ")
_TAG = re.compile(r"<[^>]*>")
_WORDS = {"utilize": "use", "leverage": "use", "in order to": "to"}


def convert(data: bytes, name: str, base: str) -> MadeText:
    """A heading for each minute in which something is said, and below it what is said."""
    del base  # only web pages have an address of their own
    lines: list[str] = []
    places: list[tuple[int, str]] = []
    minute = -1
    for block in re.split(r"\n\s*\n", data.decode().replace("\r\n", "\n")):
        said = block.strip().split("\n")
        if not _CUE.match(said[0]):
            said = said[1:]  # the number of the cue, or the head of a file
        cue = _CUE.match(said[0]) if said else None
        if cue is None:
            continue
        begins = int(cue[1] or 0) * 60 + int(cue[2])
        if begins != minute:
            minute = begins
            places.append((len(lines), f"t={minute * 60}"))
            lines += [f"## Minute {minute}", ""]
        lines += [*(_TAG.sub("", line) for line in said[1:]), ""]
    if minute < 0:
        raise ValueError("there are no subtitles in it")
    return MadeText("\n".join(lines), tuple(places), title=name.rpartition("/")[2].rpartition(".")[0])


def find(documents: Iterable[PlainDocument]) -> Iterator[PlainFinding]:
    """Each place where one of the words stands."""
    for document in documents:
        for number, line in enumerate(document.text.splitlines(), 1):
            for word, better in _WORDS.items():
                if re.search(rf"\b{word}\b", line, re.IGNORECASE):
                    yield PlainFinding(document.path, number, f"the house does not write “{word}”", better)


FORMAT = FormatPlugin(promise=1, endings=("srt", "vtt"), convert="pinakes_subtitles:convert")
FINDER = FinderPlugin(promise=1, find=find)
