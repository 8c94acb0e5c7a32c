"""The language of questions: words, "a phrase", -not, and filters such as ``path:docs/api``.

Any text enters, a `ParsedQuestion` leaves. Nothing is a syntax error: what is none of the forms below is just text.

- ``"a phrase"`` must be there, word for word.
- In a long question quotation marks are what they are in prose: a name, a title, an emphasis. Nothing must be there,
  and what stands between them is text; a dash inside of it excludes nothing, at its end it does.
- ``-word`` and ``-"a phrase"`` must not. A dash before fewer than three letters (``rm -rf``) or another dash
  (``--force``) is an option of some command, and a question of exclusions alone has nothing to exclude them from: text.
- ``path:docs/api``, ``tag:auth``, ``kind:spec``, ``lang:python``, ``language:de``, ``before:2024-05-01``,
  ``after:2024``; a value with spaces in quotes, several tags, kinds or languages with commas. A kind or a date that is
  none is text.

A `ParsedQuestion` and a text also enter; which words of the text were asked for leaves, to be marked when it is shown
(`marks`), and whether the text holds every phrase and nothing excluded (`fits`).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache, lru_cache
from itertools import islice

from msgspec.structs import replace

from pinakes.records import Filter, Kind, ParsedQuestion, Span
from pinakes.words.tokenize import (
    PLAIN_LETTERS,
    Normalizer,
    Terms,
    as_written,
    english,
    language_term,
    overlapping_pairs,
    unspaced_runs,
)

_ENGLISH = """
a about am an and any are as at be been but by can can't could did do does doesn't doing don't for from had has have how
i i'm i've if in into is isn't it it's its me my no not of on or our should so some such than that that's the their them
then there these they this to too us was we were what what's when where which while who why will with without won't
would you your
"""
STOPWORDS = frozenset(_ENGLISH.split())
"""English words that say nothing about what a question asks for. The index keeps them, where phrases need them; only
questions drop them, and only when other words remain."""
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
    r'|(?P<name>path|tag|kind|language|lang|before|after):(?:"(?P<quoted>[^"]+)"|(?P<value>[^\s"]+))(?!\S)'
    r"|(?P<text>\S+)"
)
_EXCLUDED = re.compile(r"-(?:[a-zA-Z].{2,}|[^\W\d_a-zA-Z].*)\Z")
_DATE = re.compile(r"\d{4}(?:-\d\d){0,2}\Z")
_KINDS = frozenset(kind.value for kind in Kind)
_FIRST_OF_YEAR = "0000-01-01"
_JOINERS = re.compile("[\u200c\u200d]")
_WORD = re.compile("[^\\W_]+(?:[\u200c\u200d][^\\W_]+)*")
_START = 2
_MOST_MARKS = 200
"""Marks in one text; more would mark everything."""


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
    asked = " ".join(filter(None, said))
    line, besides = map(str.split, terms.of(asked))
    if not line and excluded:
        asked = " ".join(filter(None, [*said, *excluded]))
        line, besides = map(str.split, terms.of(asked))
        excluded = []
    found = list(dict.fromkeys([*line, *besides]))
    kept = tuple([term for term in found if term not in STOPWORDS] or found)[:MOST_TERMS]
    parts = tuple(term for term in kept if term not in line and term.isalnum())
    return ParsedQuestion(asked, kept, parts, _lines(terms, phrases), _lines(terms, excluded), where, _pairs(line))


def _pairs(line: list[str]) -> tuple[tuple[str, str], ...]:
    found: dict[tuple[str, str], None] = {}
    before = ""
    for term in line:
        if term not in STOPWORDS:
            if before and before != term:
                found[before, term] = None
            before = term
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
    if name == "language":
        return replace(where, written_in=(*where.written_in, *map(str.lower, values)))
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
    found = dict.fromkeys([tuple(terms.of(text)[0].split())[:MOST_TERMS] for text in texts])
    return tuple(filter(None, found))[:_MOST_PHRASES]


_MOST_STEMS = 20_000
"""Words of texts that were shown lately. More would be walked through by the collector of garbage."""


@cache
def _stems() -> Normalizer:
    stem = english()
    return lru_cache(maxsize=_MOST_STEMS)(lambda word: stem(_JOINERS.sub("", word)))


_MOST_VERDICTS = 1000


def fits(text: str, asked: ParsedQuestion) -> bool:
    """Whether a text holds every phrase of the question and nothing it excludes; for hits that words did not find."""
    if not asked.phrases and not asked.excluded:
        return True
    stem = _stems()
    words = [stem(word) for word in _WORD.findall(text.lower())]
    return all(_stands_in(phrase, words) for phrase in asked.phrases) and not any(
        _stands_in(phrase, words) for phrase in asked.excluded
    )


def _stands_in(phrase: Sequence[str], words: Sequence[str]) -> bool:
    stem = _stems()
    wanted = [stem(part) for word in phrase for part in _WORD.findall(word.lower())]
    first, length = wanted[0] if wanted else "", len(wanted)
    return any(words[at : at + length] == wanted for at, word in enumerate(words) if word == first)


def marks(text: str, asked: ParsedQuestion) -> tuple[Span, ...]:
    """Stretches of characters whose word has the same stem as a word of the question, in order."""
    terms, languages = (*asked.terms, *asked.extra_terms), asked.languages
    here, wanted = _wanted(terms, languages)
    is_wanted = _verdicts(terms, languages)
    found = (Span(*word.span()) for word in here.finditer(_plain(text)) if is_wanted[word[0]])
    if pairs := _unspaced(asked.terms):
        return tuple(islice(sorted([*found, *_runs_of(text, pairs)]), _MOST_MARKS))
    return tuple(islice(found, _MOST_MARKS)) if wanted else ()


def _plain(text: str) -> str:
    """In small letters without accents, each at its place: the only letter that is two when it is small has one."""
    return (text if text.isascii() else text.translate(PLAIN_LETTERS)).lower()


def _runs_of(text: str, pairs: tuple[str, ...]) -> Iterator[Span]:
    """Where pairs of characters stand; those that overlap or meet are one word."""
    start = end = -1
    for found in re.finditer(f"(?={'|'.join(map(re.escape, pairs))})", text):
        if found.start() > end:
            if end > 0:
                yield Span(start, end)
            start = found.start()
        end = found.start() + len(pairs[0])
    if end > 0:
        yield Span(start, end)


@lru_cache(maxsize=64)
def _unspaced(terms: tuple[str, ...]) -> tuple[str, ...]:
    """Those of a question's terms that are written without spaces around them."""
    return tuple(term for term in terms if unspaced_runs(term) == [term])


@lru_cache(maxsize=_MOST_STEMS)
def _all_stems(word: str, languages: tuple[str, ...]) -> tuple[str, ...]:
    """What a word is found by."""
    return (_stems()(word), *(language_term(language, word) for language in languages if word.isalpha()))


@lru_cache(maxsize=64)
def _wanted(terms: tuple[str, ...], languages: tuple[str, ...]) -> tuple[re.Pattern[str], frozenset[str]]:
    """The stems of a question's words, and what finds words in a plain text that may have one of them: stems hardly
    differ from their words in the first letters."""
    words = {part for term in terms for part in _WORD.findall(term.lower())}
    stems = frozenset(stem for word in words for stem in _all_stems(word, languages))
    starts = sorted({word[:_START] for word in {*words, *map(_stems(), words)}})
    # Letters first: what begins with looking behind is tried at every place of a text, which takes twice as long.
    begun = "|".join(rf"{re.escape(start)}(?<![^\W_]{'.' * len(start)})" for start in starts)
    return re.compile(rf"(?:{begun})[^\W_]*(?:[\u200c\u200d][^\W_]+)*"), stems


class _Verdicts(dict[str, bool]):
    """Whether words have the stem of a word of the question; fills itself."""

    def __init__(self, wanted: frozenset[str], languages: tuple[str, ...]) -> None:
        super().__init__()
        self._wanted = wanted
        self._languages = languages

    def __missing__(self, word: str) -> bool:
        if len(self) > _MOST_VERDICTS:
            self.clear()
        found = self[word] = not self._wanted.isdisjoint(_all_stems(word.lower(), self._languages))
        return found


@lru_cache(maxsize=64)
def _verdicts(terms: tuple[str, ...], languages: tuple[str, ...]) -> _Verdicts:
    return _Verdicts(_wanted(terms, languages)[1], languages)


def unknown_words(text: str, counts: Mapping[str, int]) -> tuple[str, ...]:
    """The words of a question that occur nowhere, given its terms and in how many chunks each occurs.

    Terms of scripts without spaces are pairs of characters, and a pair of the end of one word and the beginning of the
    next occurs nowhere while both words do. So such words are put together again from pairs that overlap, and what only
    such a border makes unknown is left out.
    """
    pairs = {pair: None for run in unspaced_runs(text) for pair in overlapping_pairs(run)}
    found = [term for term, count in counts.items() if not count and term not in pairs]
    for run in unspaced_runs(text):
        start = -1
        for at, pair in enumerate([*overlapping_pairs(run), ""]):
            if pair and not counts.get(pair, 1):
                start = at if start < 0 else start
            elif start >= 0:
                # The pairs reach over the borders to the words before and behind.
                first, last = (start + 1 if start else 0), (at + 1 if not pair else at)
                found += [run[first:last]] if last - first > 1 or last - first == len(run) else []
                start = -1
    return tuple(dict.fromkeys(found))


def held_terms(text: str, asked: ParsedQuestion) -> frozenset[str]:
    """Those terms of a question whose words a text holds, all parts of a term together."""
    here, _ = _wanted(asked.terms, asked.languages)
    held = {stem for word in {*here.findall(_plain(text))} for stem in _all_stems(word, asked.languages)}
    words = {term: _WORD.findall(term.lower()) or [term] for term in asked.terms}
    unspaced = {term for term in _unspaced(asked.terms) if term in text}
    return frozenset(
        [
            term
            for term, parts in words.items()
            if not any(held.isdisjoint(_all_stems(part, asked.languages)) for part in parts) or term in unspaced
        ]
    )
