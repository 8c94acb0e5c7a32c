"""Validates what a user wants to remember.

Texts, titles, tags and dates enter and leave normalised: without control characters and invisible characters. Anything
unusable raises `BadMemory`, which says what is wrong.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from datetime import date, datetime

from pinakes.errors import BadMemory
from pinakes.parse import parse
from pinakes.prose import visible
from pinakes.records import MEMORIES, Raw, Ref, Span, Stamp, formats
from pinakes.render.text import one_line

MOST_BYTES = 1_000_000
LONGEST_TITLE = 200
_LONGEST_MADE_TITLE = 80
_MOST_TAGS = 100
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]")


def clean_text(text: str) -> str:
    """A text with plain line ends and without control characters; raises for one that is empty or too large."""
    if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
        raise BadMemory("The text is not valid Unicode.", "Save it as UTF-8 first.")
    text = _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n")).strip("\n").rstrip()
    if not text.strip():
        raise BadMemory("There is no text to remember.", "Give it as an argument, with --file, or with - on stdin.")
    if len(text.encode()) > MOST_BYTES:
        raise BadMemory(f"A memory holds {MOST_BYTES:,} bytes at most.", "Make several of it, or pinakes add it.")
    return text


def title_of(title: str, text: str) -> str:
    """The title that was given, else the first line that says something."""
    given = one_line(title)
    if len(given) > LONGEST_TITLE:
        raise BadMemory(f"A title has {LONGEST_TITLE} characters at most.", "Put the rest into the text.")
    if given:
        return given
    document = parse(Raw(Stamp(Ref(MEMORIES, "new.md"), "", formats.MARKDOWN), text.encode("utf-8", "replace"), ""))
    shown = visible(document, Span(0, len(document.source)))
    lines = (one_line(line[:1000], _LONGEST_MADE_TITLE) for line in shown.splitlines())
    return next((line for line in lines if any(letter.isalnum() for letter in line)), "Memory")


def tags_of(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags without ``#``, each once and on one line."""
    found = [one_line(tag).lstrip("#").strip() for tag in tags]
    if len(found) > _MOST_TAGS or any(len(tag) > LONGEST_TITLE or "," in tag for tag in found):
        raise BadMemory("These are no tags.", f"At most {_MOST_TAGS} short words without commas.")
    return tuple(dict.fromkeys(tag for tag in found if tag))


def targets_of(links: Iterable[str]) -> tuple[str, ...]:
    """Link targets, each once and on one line."""
    return tuple(dict.fromkeys(found for link in links if (found := one_line(link, 1000))))


def day_of(text: str) -> str:
    """A date as it is written down, or nothing; raises for what is neither."""
    text = text.strip()
    try:
        return datetime.fromisoformat(text).isoformat() if len(text) > 10 else date.fromisoformat(text).isoformat()
    except ValueError:
        if not text:
            return ""
        raise BadMemory(f"“{one_line(text, 60)}” is not a valid date.", "Write it as 2026-01-31.") from None
