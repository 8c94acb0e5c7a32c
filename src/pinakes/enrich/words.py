"""Words and clauses: where a phrase may begin and end.

In comes prose, out come words in order with marks between clauses; what the words mean together is decided elsewhere.
Identifiers stay whole (`max_retries`, `node.js`, `std::vector`, `CI/CD`, `C++`), a sign that is neither part of a
word nor emphasis ends a clause, and scripts written without spaces are cut at their own function words.
"""

from __future__ import annotations

import re
import sys
import unicodedata
from functools import lru_cache

from msgspec import Struct

from pinakes.enrich.stopwords import CODE_WORDS, LITERALS, STOPWORDS, WEAK, WEAK_LEADS

BORDER = "\x02"
"""Ends a clause wherever prose carries it. Not one of the separators \\x1c to \\x1f: those count as whitespace."""
_CODE, _DEFINED, _CODE_END, _BESIDE_CODE = "\x03", "\x05", "\x04", "\x06"


def _letters() -> str:
    """The character class of everything words are made of, as ranges: letters, digits and the marks that many scripts
    write vowels with, which `\\w` leaves out."""
    parts: list[str] = []
    start = -1
    for point in (*range(0x80, 0x3400), *range(0xA000, 0xAC00), *range(0xF900, 0x10000)):
        is_letter = unicodedata.category(chr(point))[0] in "LMN"
        if is_letter and start < 0:
            start = point
        elif not is_letter and start >= 0:
            parts.append(f"\\u{start:04x}-\\u{point - 1:04x}")
            start = -1
    # Ideographs and Hangul need no looking up. Of the planes above, letters and ideographs; pictures are borders.
    whole = "\\u3400-\\u9fff\\uac00-\\ud7a3\\U00010000-\\U0001cfff\\U0001d400-\\U0001d7ff\\U00020000-\\U0003ffff"
    return "0-9A-Za-z" + "".join(parts) + whole


_LETTERS = _letters()
TOKEN = re.compile(
    rf"[A-Z]{{1,5}}(?:/[A-Z]{{1,5}}(?![{_LETTERS}]))+"
    rf"|[{_LETTERS}]+(?:(?:_+|[.'’+&@-]|::|->)[{_LETTERS}]+)*(?:\+\+|#(?![{_LETTERS}])|\(\))?"
    r"|[\x03\x05][^\x04]*\x04|[^\w\s*~\[\]\x03\x05]+"
)
"""A word, a marked name, or a stretch of signs that ends a clause. White space and marks of emphasis are neither."""

_UNSPACED = re.compile(r"[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_UNSPACED_RUN = re.compile(rf"[{_LETTERS}]*[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff][{_LETTERS}]*")
# Hiragana carries Japanese grammar; the Chinese words are those that stand for little else and sit in few others.
_UNSPACED_GLUE = re.compile(
    r"[\u3040-\u309f]+|可以|能够|能夠|通过|通過|以下|之前|之后|之後|以及|或者|如果|因为|因為|所以|但是|然后|然後|需要|使用|进行|進行"
    r"|一个|一個|没有|沒有|已经|已經|[的了和是在与與或及把被将將也就都这這那们們您我你他她它而但吗嗎呢吧请請]"
)
# Thai, Lao, Burmese and Khmer part phrases, not words, with spaces: a run is a phrase already.
_PHRASE_RUN = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
_PHRASE_RUN_END = re.compile(r"(?<=[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff])\s+")
_LONGEST_PHRASE_RUN = 24
_LONGEST_UNSPACED = 8
_KOREAN_PARTICLE = re.compile(
    r"([\uac00-\ud7a3]{2,}?)(?:은|는|이|가|을|를|의|에|에서|에게|으로|로|와|과|도|만|부터|까지|보다|처럼|입니다|합니다|하는|한다|하고|되는|된다)"
)
CODE_NAME = re.compile(rf"(?!.*://)-{{0,2}}[@$./]?[{_LETTERS}_](?:[{_LETTERS}_.:@/#+-]|\(\)|(?<=\w) (?=[a-z]))*\Z")
"""A code span that is a name or a short command: `client_id`, `--reload`, `uv add`."""
_STATUSES = frozenset(map(str, (*range(200, 209), *range(300, 309), *range(400, 432), 451, *range(500, 512))))
_BEFORE_STATUS = frozenset(("code", "error", "http", "response", "statu", "status"))
_MARKS = dict.fromkeys(map(ord, _CODE + _DEFINED + _CODE_END + _BESIDE_CODE), " ")
_CODE_WEIGHT = 1.0
_PLAIN_CODE_WEIGHT = 0.3
"""Of a word that says nothing in prose: `name` is a subject where something is said of it, else an example."""
_DEFINED_WEIGHT = 3.0
"""A name at the head of a list item or a row of a table is what the rest of it speaks of."""
_WORDS_IN_LY = (
    "anomaly assembly butterfly family friendly hourly monopoly monthly multiply quarterly supply weekly yearly"
)
_POSSESSIVE = re.compile(r"['’]s?\Z")
_HASH = re.compile(r"(?=[0-9a-f-]*\d)[0-9a-f]{7,}(?:-[0-9a-f]+)*\Z")
_NOT_ADVERBS = frozenset(_WORDS_IN_LY.split())
_LONGEST = 40
_DOUBLED = frozenset(["bb", "dd", "gg", "ll", "mm", "nn", "pp", "rr", "tt"])
_ENDINGS = ("izations", "ization", "ations", "ation", "ments", "ment", "ings", "ing", "ions", "ion", "ers", "er", "ors",
            "or", "ed", "es", "s", "e", "y")  # fmt: skip


class WordForm(Struct, frozen=True):
    """One way a word is written, and what becomes of it."""

    shown: str
    """As it appears in a keyword."""
    key: str
    """Shared by the forms that count as one word (case, plural); empty for what no keyword may hold."""
    stands_alone: bool
    """Whether it may be a keyword by itself."""
    may_lead: bool
    """Whether it may be the first word of a longer keyword."""
    is_capitalised: bool
    """Written like a name or like the first word of a sentence."""
    weight: float = 1.0
    """How much an occurrence counts."""


def tokens(prose: str) -> list[str]:
    """The words of `prose` and, between clauses, one or more signs that `word_form` knows as a border."""
    if not prose.isascii():
        if _UNSPACED.search(prose):
            prose = _UNSPACED_RUN.sub(_cut_unspaced, prose)
        if _PHRASE_RUN.search(prose):
            prose = _PHRASE_RUN_END.sub(BORDER, prose)
    found = TOKEN.findall(prose)
    return found if _STATUSES.isdisjoint(found) else _with_statuses(found)


def code_tokens(code: str) -> list[str]:
    """The names in program text, each a clause of its own: words that stand side by side in code are no phrase."""
    names = (token for token in TOKEN.findall(code) if word_form(token).key and token.casefold() not in CODE_WORDS)
    return [token for name in names for token in (name, BORDER)]


@lru_cache(maxsize=1 << 15)
def word_form(token: str) -> WordForm:
    """What `token` counts as; an empty `shown` means that it ends a clause."""
    first = token[0]
    if first in (_CODE, _DEFINED):
        return _code_form(token[1:-1], _DEFINED_WEIGHT if first == _DEFINED else _CODE_WEIGHT)
    if not (first.isalnum() or unicodedata.category(first)[0] in "LMN"):
        return WordForm("", "", stands_alone=False, may_lead=False, is_capitalised=False)
    shown = _POSSESSIVE.sub("", token)
    if korean := _KOREAN_PARTICLE.fullmatch(shown):
        shown = korean[1]
    folded = shown.casefold().replace("’", "'")
    has_letters = any(character.isalpha() for character in folded)
    key = _key(folded)
    is_adverb = folded.endswith("ly") and len(folded) > 5 and folded not in _NOT_ADVERBS
    is_unspaced, is_phrase = bool(_UNSPACED.match(shown)), bool(_PHRASE_RUN.match(shown))
    if (
        folded in STOPWORDS
        or key in STOPWORDS
        or len(folded) > _LONGEST
        or (is_unspaced and not 2 <= len(shown) <= _LONGEST_UNSPACED)
        or (is_phrase and not 2 <= len(shown) <= _LONGEST_PHRASE_RUN)
        or (len(folded) == 1 and has_letters)
        or _HASH.match(folded)
        or is_adverb
    ):
        return WordForm(token, "", stands_alone=False, may_lead=False, is_capitalised=False)
    return WordForm(
        shown=sys.intern(token),
        key=key,
        stands_alone=has_letters and not {folded, key} & WEAK,
        may_lead=has_letters and not {folded, key} & WEAK_LEADS,
        is_capitalised=shown.istitle() and shown[1:].islower() if len(shown) > 1 else False,
    )


def code_name(name: str, *, is_defined: bool) -> str:
    """A name of code as prose carries it, so that no phrase reaches across it."""
    return f"{_BESIDE_CODE}{_DEFINED if is_defined else _CODE}{name}{_CODE_END}{_BESIDE_CODE}"


def unmarked(prose: str) -> str:
    """Prose for readers and embedders: names without their marks."""
    return prose.translate(_MARKS)


def _with_statuses(found: list[str]) -> list[str]:
    """Numbers that name an answer of HTTP as names: “error 404”, “401 Unauthorized”."""
    made: list[str] = []
    for before, token, after in zip(["", *found], found, [*found[1:], ""], strict=False):
        is_name = token in _STATUSES and (before.lower().rstrip("s") in _BEFORE_STATUS or after.istitle())
        made += (_BESIDE_CODE, f"{_CODE}{token}{_CODE_END}", _BESIDE_CODE) if is_name else (token,)
    return made


def _code_form(name: str, weight: float) -> WordForm:
    folded = name.casefold()
    is_status = folded in _STATUSES
    if folded in LITERALS or len(folded) < 2 or not (is_status or any(map(str.isalpha, folded))):
        return WordForm("", "", stands_alone=False, may_lead=False, is_capitalised=False)
    # Counted with the same word of the prose, unless the word says nothing there: `on` and `name` do as code.
    key = _key(folded)
    if is_status:
        key = f"`{folded}"
    elif {folded, key} & (STOPWORDS | WEAK):
        key, weight = f"`{folded}", weight if weight == _DEFINED_WEIGHT else _PLAIN_CODE_WEIGHT
    return WordForm(sys.intern(name), key, stands_alone=True, may_lead=False, is_capitalised=False, weight=weight)


def without_ending(word: WordForm) -> str:
    """The word as it ends a keyword: without a possessive or a particle."""
    shown = _POSSESSIVE.sub("", word.shown)
    korean = _KOREAN_PARTICLE.fullmatch(shown)
    return korean[1] if korean else shown


def _key(folded: str) -> str:
    """Singular and plural share a key. Only the commonest English plurals: more would join what is not one word."""
    folded = folded.removesuffix("()")
    if len(folded) > 3 and folded.endswith("s") and folded.isascii() and folded[-2] not in "sui'0123456789":
        return folded[:-3] + "y" if folded.endswith("ies") and len(folded) > 4 else folded[:-1]
    return folded


@lru_cache(maxsize=1 << 15)
def stem(key: str) -> str:
    """What forms of one word roughly share, to notice repeats: `promotes`, `promotion` and `promoting` give `promot`.

    Too rough to count words by: `general` and `generate` must stay two words, so only English endings go.
    """
    if not key.isascii() or len(key) < 5 or not key.isalpha():
        return key
    for ending in _ENDINGS:
        if key.endswith(ending) and len(key) - len(ending) >= 3:
            key = key[: -len(ending)]
            break
    return key[:-1] if key[-2:] in _DOUBLED else key


def strength(key: str) -> float:
    """How likely a word is a thing and not something done to it, by its English ending; 1 for every other language."""
    if key.isascii() and key.isalpha() and len(key) > 4:
        if key.endswith("ed") and not key.endswith("eed"):
            return 0.5
        if key.endswith("ing") and len(key) > 5:
            return 0.8
    return 1.0


def _cut_unspaced(run: re.Match[str]) -> str:
    return BORDER + _UNSPACED_GLUE.sub(BORDER, run[0]) + BORDER
