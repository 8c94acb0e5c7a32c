"""How many tokens a text costs a language model: an estimate that needs no tokenizer.

Text enters, a whole number leaves. Nothing here knows a vocabulary: a regular expression cuts text where byte-pair
tokenizers tend to cut (a word takes the space before it, long words break, digits stand alone, indentation is one
piece), and scripts that such vocabularies cover thinly cost more per character. It is tuned to come out at or slightly
above a 32,000-piece vocabulary, so that newer and larger ones, which need fewer tokens, stay within any budget kept.

No piece crosses a line end and a line end is one piece, so counts add up exactly:
``count_tokens(a + "\\n" + b) == count_tokens(a) + 1 + count_tokens(b)``.
"""

from __future__ import annotations

import re

# Words with the space before them, cut at a length that keeps the cache's keys small. Most words of a text repeat.
_WORDS = re.compile(r"\n| {0,16}[^ \n]{1,32}| {1,16}")

_PIECES = re.compile(
    r" ?[a-z]{1,6}(?![a-z])"  # a short word, with or without its space
    r"| [A-Z]?[a-z]{1,8}"  # a word after a space is found whole more often
    r"|[A-Z]?[a-z]{1,6}"  # than one after a dot, a slash or a capital
    r"| ?[A-Z]{1,2}"
    r"|[0-9\n]"
    r"| ?[!-/:-@\[-`{-~]{1,2}"
    r"| {1,15}(?= )"  # indentation, all but the space that belongs to the word
    r"| ?[\u00a1-\u024f\u2010-\u2027\u2190-\u2193]"
    r"| ?[\u0370-\u052f]{1,2}"
    r"|[^\x00-\x7f]"
    r"|[^\S\n]{1,8}"
    r"|."
)

_THIN = re.compile(r"[\u3400-\u9fff]{1,3}|[\uac00-\ud7af]{1,2}|[\u0900-\u1fff]")
"""Scripts whose characters often need a second piece: Han, Hangul, the scripts of India and South-East Asia."""
_ASTRAL = re.compile(r"[\U00010000-\U0010ffff]")
"""Emoji and rare characters fall apart into their four bytes."""
_MOST_WORDS = 65_536
"""Words that are remembered, of 48 characters at most."""


def count_tokens(text: str) -> int:
    """About how many tokens `text` is; deterministic, and exact under joining lines."""
    return sum(map(_COSTS.__getitem__, _WORDS.findall(text)))


class _Costs(dict[str, int]):
    """What words cost, remembered: a plain table, because the collector of garbage walks through an `lru_cache` link by
    link, and a question would wait for it."""

    def __missing__(self, word: str) -> int:
        if len(self) >= _MOST_WORDS:
            self.clear()
        cost = len(_PIECES.findall(word))
        if not word.isascii():
            cost += len(_THIN.findall(word)) + 3 * len(_ASTRAL.findall(word))
        self[word] = cost
        return cost


_COSTS = _Costs()
