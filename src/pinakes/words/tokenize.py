"""Text to terms, for documents and questions alike.

Text enters, terms leave, joined by spaces: the form in which the index takes them and `str.split` gives them
back. A term never holds a space, and never is `BREAK`. What a term weighs, and what a question means, is decided
elsewhere.

A text becomes two rows of terms. The *line* is what a reader reads, one term for each word in its order, so that
phrases can be found in it: lower case, accents folded, English stemmed, scripts without spaces as overlapping pairs.
*Besides* holds what else the same words can be called by. Of words written in one, the line has the whole and besides
has the parts: `get`, `user`, `by`, `id` for `getUserById`, `max`, `retries` for `max_retries`, `c` for `C++`. Of words
joined by signs, the line has the parts and besides has the whole: `std::vector`, `v1.2.3`, `--max-retries`. So a term
besides is a part where `str.isalnum` says so, else a name.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from functools import cache, lru_cache

BREAK = "|"
"""Stands between stretches of terms over which no phrase may reach; put there by others, for no text gives it."""

LONGEST = 64
"""Characters of a term; longer words are cut, on both sides alike, longer names are only known by their words."""

_REMEMBERED = 200_000
"""How many spellings are kept with their terms: enough for the whole vocabulary of most corpora, some 50 MB."""

# A spelling is whatever stands between characters that never belong to a name. The signs left in (. _ - / : + # @ ' $)
# may: which of them do is worked out once per spelling.
_SPELLINGS = re.compile(
    '[^\\s!"%&()*,;<=>?\\[\\]\\\\^`{|}~'
    "\\x00-\\x1f\\x7f-\\xa9\\xab-\\xb1\\xb4\\xb6-\\xb8\\xbb\\xbf"
    "\\u2000-\\u200b\\u200e-\\u2018\\u201a-\\u206f\\u3000-\\u3004\\u3007-\\u3020\\u30fb\\uff01-\\uff0f\\uff1a-\\uff20]+"
)
_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*(?:'[^\W\d_]+)*(?:\+\+|\#(?!\w))?")
_NAME = re.compile(r"(?:(?<![\w.:-])(--?|::?|[.$@#]))?((?:__)?[^\W_]+(?:(?:[.\-/:@+$#]|::|_+)[^\W_]+)*(?:__|\+\+|\#)?)")
_CAMEL = re.compile(r"[A-Z]+(?![a-z])[0-9]*|[A-Z]?[a-z]+[0-9]*|[0-9]+")
_HUMPS = re.compile(r"[a-z][A-Z]|[A-Z]{2}[a-z]|[0-9][A-Z][a-z]")
_VERSION = re.compile(r"v[0-9]+(?:\.[0-9]+)+\Z")

# Written without spaces between words: Thai, Lao, Burmese, Khmer, kana, ideographs; Hangul for its particles.
_UNSPACED = (
    "\u0e01-\u0e3a\u0e40-\u0e4e\u0e81-\u0edf\u1000-\u103f\u1050-\u108f\u1780-\u17d3\u3005-\u3006\u3041-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
_RUN = re.compile(f"[{_UNSPACED}]+|[^{_UNSPACED}]+")
_UNSPACED_START = re.compile(f"[{_UNSPACED}]")

# Signs that change a letter only slightly: Latin, Greek and Cyrillic accents, Hebrew and Arabic vowel points. Marks of
# other scripts are vowels or change the letter (kana), so they stay.
# A joiner or a non-joiner says how a word is drawn, and is often left out.
_ACCENTS = re.compile("[\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670\u200c\u200d]+")
_LETTERS_LIKE = str.maketrans({"’": "'", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "ħ": "h", "ı": "i",
                               "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ð": "d", "þ": "th"})  # fmt: skip
PLAIN_LETTERS = {
    code: plain[0]
    for code in range(0xC0, 0x250)
    if (plain := unicodedata.normalize("NFKD", chr(code)))[0].isascii() and plain[0].isalpha()
}
"""Latin letters with accents, and the letter that each is without."""
_SIGNS = frozenset("._-/:+#@'$")

_NO_CACHE = 0
"""Of a stemmer's own: whoever stems many words remembers them, and its entries are a list each, through all of which
the collector of garbage would walk while a question waits."""

Normalizer = Callable[[str], str]
"""A lower-case word to its term."""


def as_written(word: str) -> str:
    """Words of code stand for themselves."""
    return word[:LONGEST]


def english() -> Normalizer:
    """The stem of an English word; names, and words of other scripts or with digits in them, stand for themselves."""
    from Stemmer import Stemmer  # compiled: a corpus has more words than a stemmer in Python has time for

    stem: Normalizer = Stemmer("english", _NO_CACHE).stemWord

    def stemmed(word: str) -> str:
        return (stem(word) if word.isascii() and (word.isalpha() or "'" in word) else word)[:LONGEST]

    return stemmed


STEMMED = {
    **{"ar": "arabic", "ca": "catalan", "da": "danish", "de": "german", "el": "greek", "es": "spanish", "eu": "basque"},
    **{"fi": "finnish", "fr": "french", "ga": "irish", "hi": "hindi", "hu": "hungarian", "hy": "armenian"},
    **{"id": "indonesian", "it": "italian", "lt": "lithuanian", "ne": "nepali", "nl": "dutch", "no": "norwegian"},
    **{"pt": "portuguese", "ro": "romanian", "ru": "russian", "sr": "serbian", "sv": "swedish", "ta": "tamil"},
    "tr": "turkish",
}
"""Languages besides English whose words have stems, and the stemmer's names for them."""


def language_term(language: str, word: str = "") -> str:
    """The term for the stem of a word in a language besides English; without a word, the term that says that a chunk is
    written in it. No text gives such a term: an equals sign is part of no name."""
    return f"{language}={_stemmer(language)(word) if word else ''}"[:LONGEST]


@cache
def _stemmer(language: str) -> Normalizer:
    from Stemmer import Stemmer

    stem: Normalizer = Stemmer(STEMMED[language], _NO_CACHE).stemWord
    return lru_cache(maxsize=50_000)(stem)


def spellings(text: str) -> list[str]:
    """What a text is made of; several `Terms` may take it from here."""
    return _SPELLINGS.findall(text)


class Terms:
    """Remembers the terms of every spelling it has met, for a text is made of few spellings."""

    def __init__(self, normalize: Normalizer) -> None:
        self._besides: dict[str, str] = {}
        self._lines = _Lines(normalize, self._besides)

    def of(self, text: str) -> tuple[str, str]:
        """The line, and what stands besides it."""
        return self.of_spellings(spellings(text))

    def of_spellings(self, found: Sequence[str]) -> tuple[str, str]:
        """The line of a text that is cut into its spellings already, and what stands besides it."""
        line = self.line(found)
        return line, " ".join(map(self._besides.__getitem__, filter(self._besides.__contains__, found)))

    def line(self, found: Sequence[str]) -> str:
        """The line alone."""
        if len(self._lines) > _REMEMBERED:
            self._lines.clear()
            self._besides.clear()
        # Looked up through map and filter, which never leave C for a spelling met before: three times faster.
        return " ".join(map(self._lines.__getitem__, found))


class _Lines(dict[str, str]):
    """From spellings to their line; fills itself, and `besides` along with it."""

    def __init__(self, normalize: Normalizer, besides: dict[str, str]) -> None:
        super().__init__()
        self._normalize = normalize
        self._besides = besides

    def __missing__(self, spelling: str) -> str:
        line: list[str] = []
        besides: list[str] = []
        for run in _runs(spelling):
            if _UNSPACED_START.match(run):
                line += overlapping_pairs(run)
            else:
                _name(run, self._normalize, line, besides)
        found = self[spelling] = " ".join(line)
        if besides:
            self._besides[spelling] = " ".join(besides)
        return found


def _runs(spelling: str) -> list[str]:
    """A spelling without accents, cut where the script or a foreign sign asks for it."""
    if spelling.isascii():
        return [spelling]
    plain = unicodedata.normalize("NFKD", spelling.translate(_LETTERS_LIKE))
    plain = unicodedata.normalize("NFC", _ACCENTS.sub("", plain))
    kept = "".join(sign if sign in _SIGNS or unicodedata.category(sign)[0] in "LMN" else " " for sign in plain)
    return [run for part in kept.split() for run in _RUN.findall(part)]


def unspaced_runs(text: str) -> list[str]:
    """The stretches of a text in scripts without spaces between words."""
    return [run for one in spellings(text) for run in _runs(one) if _UNSPACED_START.match(run)]


def overlapping_pairs(run: str) -> list[str]:
    """The terms of such a stretch: two characters each, or the only one."""
    return [run[at : at + 2] for at in range(len(run) - 1)] or [run]


def _name(text: str, normalize: Normalizer, line: list[str], besides: list[str]) -> None:
    """Add the terms of a word or name that is written without spaces."""
    words = _WORD.findall(text) if text.isascii() else _marked_words(text)
    for word in words:
        lowered = word.casefold()
        line.append(normalize(lowered))
        if word[-1] in "+#":
            besides.append(normalize(lowered.rstrip("+#")))
        elif "_" in word or _HUMPS.search(word):
            besides += [normalize(part.casefold()) for part in _parts(word.partition("'")[0])]
    for sigil, name in _NAME.findall(text):
        whole = name.casefold()
        if len(whole) > LONGEST - 2:
            continue
        if not whole.isalnum() and whole not in line:
            besides.append(whole)
            if _VERSION.match(whole):
                besides.append(whole[1:])
        if sigil:
            besides.append(sigil + whole)


def _parts(word: str) -> list[str]:
    parts: list[str] = []
    for part in filter(None, word.split("_")):
        parts += _CAMEL.findall(part) if _HUMPS.search(part) else [part]
    return parts


def _marked_words(text: str) -> list[str]:
    """Words of scripts whose vowels are marks, which regular expressions take for punctuation."""
    spaced = "".join(sign if sign == "'" or unicodedata.category(sign)[0] in "LMN" else " " for sign in text)
    return [word.strip("'") for word in spaced.split() if word.strip("'")]
