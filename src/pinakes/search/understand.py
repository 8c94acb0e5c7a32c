"""What is being asked, and whom to believe: a question becomes a plan.

Kinds are told by whole words and by shapes, never by substrings ("guidelines" is no "guide").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import chain

from msgspec.structs import replace

from pinakes.errors import ConfigError, StoreError
from pinakes.parse.language import language_of_question
from pinakes.ports import Reader
from pinakes.records import ChunkId, Filter, ParsedQuestion, Query, QuestionKind, Scope
from pinakes.search.expansion import long_forms
from pinakes.search.foreign import as_foreign
from pinakes.search.known import familiarity
from pinakes.search.plan import RetrieverWeights, SearchOptions, SearchPlan, SliceCache, Tools, Weighing
from pinakes.search.rare import rare_chunks
from pinakes.search.spelling import completed, corrected
from pinakes.words import is_day, parse_question

LongForms = dict[str, dict[str, float]]
"""A word of the question, and words that it may be short for with the nearness of each."""
_NAMED = re.compile(
    r"""
      "[^"]+" | `[^`]+`                                  # quoted, or marked as code
    | (?<!\w)--?[a-z][\w-]*                              # a flag
    | \b[a-z]+(?:[A-Z][a-z0-9]*)+\b                      # camelCase
    | \b(?:[A-Z][a-z0-9]+){2,}\b                         # PascalCase
    | \b\w+(?:_\w+)+\b                                   # snake_case
    | \b\w+(?:::\w+)+\b | \b\w+\(\)                      # a::b, call()
    | \b[vV]?\d+(?:\.\d+)+\b                             # a version
    | \b[A-Z]{1,5}-?\d{2,6}\b                            # an error code
    | (?<![\w/])(?:[\w.-]+/)+[\w.-]+                     # a path
    | \b\w+\.(?:py|js|ts|md|toml|json|ya?ml|rs|go|c|h|cfg|ini|sh|html|css)\b
    | \b[CF](?:\+\+|\#)
    """,
    re.VERBOSE,
)
_PLACES = re.compile(
    r"\[\[|\b(?:section|chapter|page|guide|tutorial|appendix|overview|reference|docs|documentation|introduction)\b",
    re.IGNORECASE,
)


def understand(query: Query, tools: Tools, options: SearchOptions, weighing: Weighing) -> SearchPlan:
    """Take a question apart and decide where to look and how to weigh what is found."""
    check_dates(query.where)
    parsed = parse_question(query.text)
    kind = question_kind(query.text)
    missing = list(tools.missing)
    parsed = replace(parsed, languages=_languages(parsed.text, tools, missing))
    scope = _scope(query.where.within_corpus(), parsed.where, tools.reader)
    question, counts, rare, forms = parsed, dict[str, int](), frozenset[ChunkId](), LongForms()
    if tools.words is not None:
        try:
            is_guessed = not tools.is_partial and "spelling" not in options.leave_out
            if "expansion" not in options.leave_out:
                forms = _long_forms(parsed, query, tools)
            question, counts = _meant(parsed, query, tools, forms, is_guessed=is_guessed)
            rare = rare_chunks(question, tools.words, scope, query.limit)
        except StoreError as error:
            missing.append(f"words: {error}")
    if tools.synonyms.table or forms:
        extra = {**_extra_terms(question, tools, weighing, forms), **question.extra_terms}
        question = replace(question, extra_terms=extra)
    return SearchPlan(
        query=query,
        question=question,
        kind=kind,
        scope=scope,
        weights=_weights(kind, query, tools, options, weighing),
        weighing=weighing,
        options=options,
        counts=counts,
        rare=rare,
        slices=SliceCache(tools.reader),
        forms=forms,
        missing=missing,
    )


def _languages(text: str, tools: Tools, missing: list[str]) -> tuple[str, ...]:
    """The languages besides English that a question may be asked in: the one it is written in, or, where its few words
    do not tell, each that the index has."""
    try:
        known = tuple(tools.words.languages) if tools.words is not None else ()
    except StoreError as error:
        missing.append(f"words: {error}")
        return ()
    told = language_of_question(text) if known else ""
    return tuple(language for language in known if told in ("", language))


def check_dates(where: Filter) -> None:
    """Raise `ConfigError` for a filter whose dates are none; compared as text, they would let anything through."""
    for name, value in (("after", where.after), ("before", where.before)):
        if value and not is_day(value):
            raise ConfigError(
                f"{name}: “{value}” is not a valid date.", "Write a year, a month or a day: 2026, 2026-01-31."
            )


def _scope(given: Filter, said: Filter, reader: Reader) -> Scope | None:
    """What passes both the filter that was given and the one in the question itself."""
    one, other = reader.scope(given), reader.scope(said)
    if one is None or other is None:
        return other if one is None else one
    documents = one.documents & other.documents
    held = [scope.sections for scope in (one, other) if scope.sections is not None]
    if not held:
        return Scope(documents)
    return Scope(documents, frozenset(place for place in held[0].intersection(*held[1:]) if place[0] in documents))


def question_kind(text: str) -> QuestionKind:
    """Factual when something in it has a name of its own, navigational when it asks for a place."""
    if _NAMED.search(text):
        return QuestionKind.FACTUAL
    if _PLACES.search(text):
        return QuestionKind.NAVIGATIONAL
    return QuestionKind.EXPLORATORY


def _weights(
    kind: QuestionKind, query: Query, tools: Tools, options: SearchOptions, weighing: Weighing
) -> RetrieverWeights:
    if tools.meaning is None:
        return RetrieverWeights(1.0, 0.0)
    kind = QuestionKind.EXPLORATORY if "kinds" in options.leave_out else kind
    # A guess of the answer is there to be compared by meaning.
    known = 1.0 if query.hypothesis else familiarity(tools, options)
    meaning = weighing.dense or tools.meaning.traits.dense_weight * known
    words = 1.0 - meaning
    if kind is QuestionKind.FACTUAL:
        words *= weighing.factual_words
    elif kind is QuestionKind.EXPLORATORY:
        meaning *= weighing.exploratory_meaning
    return RetrieverWeights(words / (words + meaning), meaning / (words + meaning))


def _meant(
    parsed: ParsedQuestion, query: Query, tools: Tools, forms: LongForms, *, is_guessed: bool
) -> tuple[ParsedQuestion, dict[str, int]]:
    """The question as it was probably meant, and in how many chunks each of its words occurs."""
    assert tools.words is not None
    counts = dict(tools.words.terms(parsed))
    parsed = parsed if tools.is_partial else as_foreign(parsed, counts, tuple(tools.words.languages))
    counts = {term: count for term, count in counts.items() if term in parsed.terms}
    question = completed(parsed, counts, tools.words) if query.typing else parsed
    if is_guessed and not all(counts.values()):
        right = {*query.as_spelled, *tools.synonyms.of(parsed.text)}
        question = corrected(question, counts, tools.words, right, forms)
        if question.corrections:
            counts = dict(tools.words.terms(question))
    if not counts.get(question.unfinished):
        counts.pop(question.unfinished, None)  # Nothing is known of it yet.
    return question, counts


def _long_forms(parsed: ParsedQuestion, query: Query, tools: Tools) -> LongForms:
    """Of words that stand for themselves: not of those in quotation marks or with a synonym of the user's own."""
    if tools.speller is None or tools.words is None or query.typing:
        return {}
    quoted = {word for phrase in parsed.phrases for word in phrase}
    own = {*quoted, *parsed.parts, *query.as_spelled, *tools.synonyms.of(parsed.text)}
    return long_forms([term for term in parsed.terms if term not in own], tools.words, tools.speller)


def _extra_terms(parsed: ParsedQuestion, tools: Tools, weighing: Weighing, forms: LongForms) -> Mapping[str, float]:
    """Synonyms by the user's list, then long forms of words."""
    found: dict[str, float] = {}
    for synonym in chain.from_iterable(tools.synonyms.of(parsed.text).values()):
        parts = synonym.split()
        found.update((part, max(found.get(part, 0.0), weighing.synonyms / len(parts))) for part in parts)
    for form, nearness in chain.from_iterable(one.items() for one in forms.values()):
        found[form] = max(found.get(form, 0.0), weighing.expansion * nearness)
    return {term: weight for term, weight in found.items() if term not in parsed.terms}
