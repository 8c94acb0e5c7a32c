"""What was meant: words that occur nowhere in another spelling, and words that are still being typed.

A question and the word index enter. The question leaves with known words in place of misspelt ones (`corrected`), and
with the words that begin like its unfinished last one (`completed`). A word that occurs anywhere is never replaced, nor
one in quotation marks or with a synonym of the user's own.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping

from msgspec.structs import replace

from pinakes.ports import WordIndex
from pinakes.records import ParsedQuestion
from pinakes.words import parse_question

MOST_ENDINGS = 50
"""Words that an unfinished one may become."""
_KNOWN_SHARE = 0.5
"""How much these count beside an unfinished word that is a word by itself."""
_LEAST = 2
"""Letters of a beginning."""
_SURE_FROM = 8
"""Letters of a word in which one slip leaves no doubt what was meant."""
_BEGUN = 6
_LAST = re.compile(r"[^\W_][\w'’-]*\Z")


def corrected(
    question: ParsedQuestion,
    counts: Mapping[str, int],
    words: WordIndex,
    right: Collection[str],
    forms: Mapping[str, Mapping[str, float]],
) -> ParsedQuestion:
    """The question with what was probably meant by words that occur nowhere and are not called `right`: the nearest of
    their long forms, else another spelling."""
    kept = {question.unfinished, *right, *(word for phrase in question.phrases for word in phrase)}
    unknown = [term for term in question.terms if not counts.get(term, 1) and term not in question.parts]
    found = {term: next(iter(forms[term])) for term in unknown if term in forms}
    found |= words.corrections([term for term in unknown if term not in kept and term not in found])
    if not found:
        return question
    return replace(
        question,
        text=re.sub(r"[^\W_]+", lambda word: found.get(word[0].lower(), word[0]), question.text),
        terms=tuple(dict.fromkeys(found.get(term, term) for term in question.terms)),
        pairs=tuple((found.get(one, one), found.get(other, other)) for one, other in question.pairs),
        corrections=found,
    )


def is_sure(word: str, other: str) -> bool:
    """Whether `other` was certainly meant: a long word with one slip, or one of which the end is missing."""
    from pinakes.words.spelling import distance

    is_one_slip = len(word) >= _SURE_FROM and distance(word, other, 1) <= 1
    return is_one_slip or (len(word) >= _BEGUN and other.startswith(word))


def completions(text: str, words: WordIndex) -> list[str]:
    """A text with each of the words that its last one may become, the most frequent first."""
    start, begun = _unfinished(text)
    return [text[:start] + word for word in words.completions(begun, MOST_ENDINGS)] if begun else []


def completed(question: ParsedQuestion, counts: Mapping[str, int], words: WordIndex) -> ParsedQuestion:
    """The question with the words that its last one may become; as it is when that is finished or none begins so."""
    start, begun = _unfinished(question.text)
    endings = words.completions(begun, MOST_ENDINGS) if begun else ()
    if not endings:
        return question
    is_known = bool(counts.get(begun))
    return replace(
        question,
        # The beginning of a word means nothing yet.
        text=question.text if is_known else question.text[:start].strip(),
        extra_terms={**question.extra_terms, **dict.fromkeys(endings, _KNOWN_SHARE if is_known else 1.0)},
        unfinished=begun,
    )


def _unfinished(text: str) -> tuple[int, str]:
    """Where the last word of a text begins, and that word as the index spells it; empty for one that is too short."""
    last = _LAST.search(text)
    spelled = parse_question(last[0]).terms[:1] if last else ()
    return (last.start(), spelled[0]) if last and spelled and len(spelled[0]) >= _LEAST else (len(text), "")
