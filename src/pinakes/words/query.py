"""The language of questions: words, "a phrase", -not, and filters such as ``path:docs/api``.

Any text enters, a `ParsedQuestion` leaves. Nothing is a syntax error: what is none of the forms below is just text.

- ``"a phrase"`` must be there, word for word.
- In a long question quotation marks are what they are in prose: a name, a title, an emphasis. Nothing must be there,
  and what stands between them is text; a dash inside of it excludes nothing, at its end it does.
- ``-word`` and ``-"a phrase"`` must not. A dash before fewer than three letters (``rm -rf``) or another dash
  (``--force``) is an option of some command, and a question of exclusions alone has nothing to exclude them from: text.
- ``path:docs/api``, ``tag:auth``, ``kind:spec``, ``lang:python``, ``before:2024-05-01``, ``after:2024``; a value with
  spaces in quotes, several tags, kinds or languages with commas. A kind or a date that is none is text.
"""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date
from itertools import pairwise

from pinakes.records import Filter, Kind, ParsedQuestion
from pinakes.words.stopwords import STOPWORDS
from pinakes.words.tokenize import Terms, as_written

LONGEST_QUESTION = 10_000
"""Characters that are looked at; what comes after is somebody's file."""
MOST_TERMS = 200
_MOST_PHRASES = 20
_MOST_PAIRS = 12
_LONGEST_SEARCH = 8
"""Words beside phrases and filters up to which a question is made of operators; a longer one is a sentence."""

_QUOTES = str.maketrans(dict.fromkeys("“”„‟«»＂", '"'))
_PIECE = re.compile(
    r'(?P<dash>-?)"(?P<phrase>[^"]*)"'
    r'|(?P<name>path|tag|kind|lang|before|after):(?:"(?P<quoted>[^"]+)"|(?P<value>[^\s"]+))(?!\S)'
    r"|(?P<text>\S+)"
)
_EXCLUDED = re.compile(r"-(?:[a-zA-Z].{2,}|[^\W\d_a-zA-Z].*)\Z")
_DATE = re.compile(r"\d{4}(?:-\d\d){0,2}\Z")
_KINDS = frozenset(kind.value for kind in Kind)
_FIRST_OF_YEAR = "0000-01-01"


def parse_question(text: str) -> ParsedQuestion:
    """Take any text apart; never fails."""
    said: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    where = Filter()
    for piece in _PIECE.finditer(text[:LONGEST_QUESTION].translate(_QUOTES)):
        written = piece[0]
        if piece["phrase"] is not None:
            (excluded if piece["dash"] else phrases).append(piece["phrase"])
            if not piece["dash"]:
                said.append(piece["phrase"].strip())
        elif piece["name"]:
            narrowed = _narrowed(where, piece["name"], piece["quoted"] or piece["value"])
            where = narrowed or where
            if narrowed is None:
                said.append(written)
        elif _EXCLUDED.match(written):
            excluded.append(written[1:])
        else:
            said.append(written)
            if len(said) - len(phrases) > _LONGEST_SEARCH:
                said[-1:-1] = excluded
                excluded = []
    if len(said) - len(phrases) > _LONGEST_SEARCH:
        phrases = []
    terms = Terms(as_written)
    if not terms.of(" ".join(said))[0]:
        said += excluded
        excluded = []
    asked = " ".join(filter(None, said))
    line, besides = (row.split() for row in terms.of(asked))
    found = list(dict.fromkeys([*line, *besides]))
    kept = tuple([term for term in found if term not in STOPWORDS] or found)[:MOST_TERMS]
    parts = tuple(term for term in kept if term not in line and term.isalnum())
    return ParsedQuestion(asked, kept, parts, _lines(terms, phrases), _lines(terms, excluded), where, _pairs(line))


def _pairs(line: list[str]) -> tuple[tuple[str, str], ...]:
    full = [term for term in line if term not in STOPWORDS]
    found = dict.fromkeys((one, other) for one, other in pairwise(full) if one != other)
    return tuple(found)[:_MOST_PAIRS]


def _narrowed(where: Filter, name: str, value: str) -> Filter | None:
    """The filter with one more demand, or None when the value makes no sense."""
    if name == "path":
        return replace(where, paths=(*where.paths, value))
    if name in ("before", "after"):
        day = _day(value)
        if not day:
            return None
        return replace(where, before=day) if name == "before" else replace(where, after=day)
    values = tuple(filter(None, value.split(",")))
    if name == "tag":
        return replace(where, tags=(*where.tags, *(tag.lstrip("#") for tag in values)))
    if name == "lang":
        return replace(where, languages=(*where.languages, *map(str.lower, values)))
    if not all(value in _KINDS for value in values):
        return None
    return replace(where, kinds=(*where.kinds, *map(Kind, values)))


def is_day(value: str) -> bool:
    """Whether a text is a year, a month or a day that filters understand."""
    return bool(_day(value))


def _day(value: str) -> str:
    if not _DATE.match(value):
        return ""
    day = value + _FIRST_OF_YEAR[len(value) :]
    try:
        return date.fromisoformat(day).isoformat()
    except ValueError:
        return ""


def _lines(terms: Terms, texts: list[str]) -> tuple[tuple[str, ...], ...]:
    found = dict.fromkeys(tuple(terms.of(text)[0].split())[:MOST_TERMS] for text in texts)
    return tuple(line for line in found if line)[:_MOST_PHRASES]
