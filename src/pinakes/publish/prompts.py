"""Questions as hashes: who has only these can still tell whether a question was foreseen, and which chunks answer it.

Questions enter, digests and 64-bit SimHashes leave; nothing but arithmetic on 64 bits is used, so that a script of a
few lines makes the same ones:

- a question is put into NFKC, lower case, and cut into runs of letters and digits;
- its digest is the hash of these words with single spaces between them;
- its features are the words, those of at most three letters left out when there are others, and every pair of
  neighbours among all words; a bit of the SimHash is 1 when more of their hashes have it than not;
- the hash is FNV-1a over UTF-8, then mixed as MurmurHash3 ends: x ^= x >> 33; x *= ff51afd7ed558ccd; x ^= x >> 33;
  x *= c4ceb9fe1a85ec53; x ^= x >> 33.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from pinakes.records.publish import PromptIndex, Tried

RADIUS = 12
"""Bits in which two questions may differ; see docs/publish.md for what other numbers would give."""
AT_MOST = 3
"""Chunks of a document that a question is listed with, and of the whole library in the file of all questions."""

_WORD = re.compile(r"[^\W_]+")
_MASK = (1 << 64) - 1
_SHORT = 3


def words(question: str) -> list[str]:
    """The words of a question, as they are compared."""
    return _WORD.findall(unicodedata.normalize("NFKC", question).lower())


def digest(question: str) -> str:
    """Equal for questions of equal words in equal order."""
    return f"{_hash(' '.join(words(question))):016x}"


def simhash(question: str) -> str:
    """Few bits differ for questions of nearly equal words."""
    held = words(question)
    long = [word for word in held if len(word) > _SHORT] or held
    features = [*long, *(f"{one} {other}" for one, other in pairwise(held))]
    votes = [0] * 64
    for feature in features:
        hashed = _hash(feature)
        for bit in range(64):
            votes[bit] += 1 if hashed >> bit & 1 else -1
    return f"{sum(1 << bit for bit, vote in enumerate(votes) if vote > 0):016x}"


def distance(one: str, other: str) -> int:
    """Bits in which two SimHashes differ."""
    return (int(one, 16) ^ int(other, 16)).bit_count()


def ask(index: PromptIndex, question: str) -> Tried:
    """The chunks of the nearest question that was foreseen; none when even that differs in too many bits."""
    if not words(question):
        return Tried(question, None, ())
    exact, near = digest(question), simhash(question)
    for known in index.prompts:
        if known.digest == exact:
            return Tried(question, 0, known.chunks)
    ranked = sorted((distance(near, known.simhash), known.digest, known.chunks) for known in index.prompts)
    if ranked and ranked[0][0] <= index.radius:
        return Tried(question, ranked[0][0], ranked[0][2])
    return Tried(question, None, ())


def chunks_per_question(cosines: Sequence[Sequence[float]], threshold: float) -> list[list[int]]:
    """For each question the chunks that answer it, best first: at most a few, and none below the threshold."""
    found = []
    for row in cosines:
        best = sorted((position for position, cosine in enumerate(row) if cosine >= threshold), key=lambda at: -row[at])
        found.append(best[:AT_MOST])
    return found


def _hash(text: str) -> int:
    value = 0xCBF29CE484222325
    for byte in text.encode("utf-8", "surrogatepass"):
        value = (value ^ byte) * 0x100000001B3 & _MASK
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD & _MASK
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 & _MASK
    return value ^ value >> 33
