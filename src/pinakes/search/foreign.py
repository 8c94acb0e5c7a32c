"""Questions in another language than the documents.

A parsed question enters with how often its words occur. It leaves knowing its language, where the documents are in
others, and without the small words of that language: that *wie* and *ich* occur nowhere says nothing about an answer.
What such a question shares with documents are names, and what it means only a multilingual model can compare. So its
hits are shown where they hold any of its words, and doubted; an answer without hits says why.
"""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from pinakes.parse.language import LANGUAGE_NAMES, language_of_question, small_words
from pinakes.records import ParsedQuestion


def as_foreign(question: ParsedQuestion, counts: Mapping[str, int], known: tuple[str, ...]) -> ParsedQuestion:
    """The question, marked where it is in a language that no document has; `known` has those of documents, English
    left out. Words that tell the language and occur in documents show that there are such documents, too."""
    told = language_of_question(question.text)
    if told in ("", "en", *known):
        return question
    small = small_words(question.text, told)
    telling = [term for term in question.terms if term in small or not (small or term.isascii())]
    occur = sum(bool(counts.get(term)) for term in telling)
    if not telling or (2 * occur > len(telling) if small else occur):
        return question
    return replace(
        question,
        terms=tuple(term for term in question.terms if term not in small) or question.terms,
        pairs=tuple(pair for pair in question.pairs if small.isdisjoint(pair)),
        foreign=told,
    )


def foreign_text(question: ParsedQuestion) -> str:
    """That a question is in another language than the documents, to begin a sentence with."""
    return f"The question is in {LANGUAGE_NAMES[question.foreign]}, and the documents are not"
