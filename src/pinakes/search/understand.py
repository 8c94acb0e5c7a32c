"""What is being asked, and whom to believe: a question becomes a plan.

Kinds are told by whole words and by shapes, never by substrings ("guidelines" is no "guide").
"""

from __future__ import annotations

import re

from pinakes.ports import Embedder
from pinakes.records import Filter, Query, QuestionKind
from pinakes.search.plan import Plan, Tools, Weights
from pinakes.words import parse_question

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
_FACTUAL_WORDS = 1.5
_EXPLORATORY_MEANING = 1.3


def understand(query: Query, tools: Tools) -> Plan:
    """Take a question apart and decide where to look and how to weigh what is found."""
    asked = parse_question(query.text)
    where = _both(query.where, asked.where)
    kind = question_kind(query.text)
    return Plan(query, asked, kind, tools.reader.scope(where), _weights(kind, tools.embedder), list(tools.missing))


def _both(given: Filter, said: Filter) -> Filter:
    """What was asked for by options and what was asked for in the question itself."""
    return Filter(
        corpora=given.corpora,
        paths=given.paths + said.paths,
        tags=given.tags + said.tags,
        kinds=given.kinds + said.kinds,
        categories=given.categories,
        languages=given.languages + said.languages,
        author=given.author,
        after=max(given.after, said.after),
        before=min(filter(None, (given.before, said.before)), default=""),
        linked_to=given.linked_to,
    )


def question_kind(text: str) -> QuestionKind:
    """Factual when something in it has a name of its own, navigational when it asks for a place."""
    if _NAMED.search(text):
        return QuestionKind.FACTUAL
    if _PLACES.search(text):
        return QuestionKind.NAVIGATIONAL
    return QuestionKind.EXPLORATORY


def _weights(kind: QuestionKind, embedder: Embedder | None) -> Weights:
    if embedder is None:
        return Weights(1.0, 0.0)
    meaning = embedder.dense_weight
    words = 1.0 - meaning
    if kind is QuestionKind.FACTUAL:
        words *= _FACTUAL_WORDS
    elif kind is QuestionKind.EXPLORATORY:
        meaning *= _EXPLORATORY_MEANING
    return Weights(words / (words + meaning), meaning / (words + meaning))
