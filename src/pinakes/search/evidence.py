"""Is there an answer at all?

The question's terms, how rare they are and what the best hits hold enter; `Evidence` leaves. All parts are free of
scale, so one logistic over them serves every corpus. Its constants were fitted on questions put to collections that
answer them and to collections about something else (docs/search.md), for each embedder those of its own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, combinations, islice
from math import exp, log, sqrt

from msgspec.structs import replace

from pinakes.errors import StoreError
from pinakes.records import Abstention, Evidence, QuestionKind, Ranking, Slice
from pinakes.search.foreign import foreign_text
from pinakes.search.fuse import Lists
from pinakes.search.known import LEAST, familiarity
from pinakes.search.plan import SearchOptions, SearchPlan, Tools
from pinakes.search.spelling import is_sure
from pinakes.words import held_terms

BEST = 3
"""Hits that are looked at."""
THRESHOLD = 0.02
"""Below this belief the answer is empty. Leaving a question that has an answer without one is the worse mistake, so
this is the largest number at which no project loses more than one in two hundred of the questions that people asked
about it. It is the same for all embedders: where another would be right, their `Abstention.bias` makes up for it. Of
questions about another field half and more fall below, of those whose page is missing one in twelve."""

DOUBTED = 0.05
"""Below this belief the answer says that it is weak. Of questions with an answer among the first ten hits, one to three
in a hundred fall below; of questions about another project, more than half (docs/search.md)."""
DOUBTED_APART = 0.5
"""Of a short question of whose two rarest words no hit holds both, the answer says that it is weak below this. Of
questions with an answer, that is one in a hundred."""
_SHORT = 4
_MOST_HOLDERS = 200
"""Chunks that hold a word which is looked for beside the text of hits; more frequent ones say little."""
_LITTLE = 0.33
"""Share of the question that the best hits of a small library must hold not to be called weak."""
_NAMED = 4
"""Rarest words of a question that are looked for together."""

_EVERY_WORD = 0.999
_SMALL = 200
"""Chunks of a dozen pages. No word is rare among so few, and numbers fitted on thousands say little: there a question
is left empty only when the best hits hold none of its words."""
_LEAST = -500.0
"""Lower and a belief could not be computed."""
WORDS_ALONE = Abstention(-4.71, 2.23, 1.02, -2.08, 0.0)


def weigh(plan: SearchPlan, tools: Tools, lists: Lists, ranking: Ranking) -> Evidence | None:
    """What speaks for an answer; None when the words were not asked or the question has none."""
    if tools.words is None or "words" not in lists or not ranking:
        return None
    rarity = rarities(plan, tools)
    # A word that is nowhere but has a synonym was asked for by that.
    for word in " ".join(tools.synonyms.of(plan.question.text)).split():
        if not plan.counts.get(word):
            rarity.pop(word, None)
    if not sum(rarity.values()):
        return None
    best = [found for _, found in islice(plan.slices.available(ranking), BEST)]
    nowhere = frozenset(term for term in rarity if not plan.counts[term])
    # What occurs nowhere may still stand in the source of a hit, in a comment that nobody sees.
    held = _held("\n".join(map(_text, best)), plan).intersection(rarity) - nowhere.difference(plan.forms)
    found = _judged(held, nowhere, rarity, lists, plan, tools)
    if found.belief < (DOUBTED_APART if len(rarity) <= _SHORT else DOUBTED):  # else nobody is told of it anyway
        besides = _besides(rarity.keys() - held, best, plan, tools)
        return _judged(held.union(*besides), nowhere, rarity, lists, plan, tools)
    return found


def _judged(
    held: frozenset[str],
    nowhere: frozenset[str],
    rarity: Mapping[str, float],
    lists: Lists,
    plan: SearchPlan,
    tools: Tools,
) -> Evidence:
    """What it proves that the best hits hold these terms of the question and that others occur nowhere."""
    assert tools.words is not None
    whole = sum(rarity.values())
    words, meaning = lists.get("words", ()), lists.get("meaning", ())
    coverage = sum(map(rarity.__getitem__, held)) / whole
    strength = words[0].score / sqrt(whole) if words else 0.0
    unseen = len(nowhere) / len(rarity)
    closeness, fit = 0.0, WORDS_ALONE
    if meaning and tools.meaning is not None:
        traits = tools.meaning.traits
        noise, fit = traits.noise, traits.abstention
        closeness = (meaning[0].score - noise) / (1.0 - noise)
    belief = believed(fit, coverage, strength, unseen, closeness)
    may_answer = bool(held) and tools.words.size < _SMALL
    if not may_answer and belief < THRESHOLD and familiarity(tools, SearchOptions()) <= LEAST:
        # That a table finds words far apart which it does not know proves nothing against an answer.
        may_answer = believed(WORDS_ALONE, coverage, strength, unseen, 0.0) >= THRESHOLD
    if guessed := rarity.keys() & _guesses(plan):
        # What was asked for occurs nowhere; another word stands in for it, and may be another thing altogether. So a
        # guess is reason enough to show what it finds, and none to be sure of it.
        may_answer = may_answer or belief >= THRESHOLD or coverage > _EVERY_WORD
        coverage = sum(map(rarity.__getitem__, held - guessed)) / whole
        unseen = len(nowhere | guessed) / len(rarity)
        belief = believed(fit, coverage, strength, unseen, closeness)
    return Evidence(coverage, strength, unseen, closeness, max(belief, THRESHOLD) if may_answer else belief)


def _held(text: str, plan: SearchPlan) -> frozenset[str]:
    """Those terms of the question that a text holds, be it by a long form."""
    held = held_terms(text, plan.question)
    forms = {form: term for term, forms in plan.forms.items() if term not in held for form in forms}
    if not forms:
        return held
    return held.union(forms[form] for form in held_terms(text, replace(plan.question, terms=tuple(forms))))


def _besides(terms: Iterable[str], found: Sequence[Slice], plan: SearchPlan, tools: Tools) -> list[frozenset[str]]:
    """For each slice, those of the terms that stand in a caption, a link to it, or what its page says of itself."""
    assert tools.words is not None
    held: list[set[str]] = [set() for _ in found]
    try:
        for term in (term for term in terms if plan.counts[term]):
            holders = tools.words.holders(term, None, _MOST_HOLDERS, besides=True) or {}
            for one, own in zip(found, held, strict=True):
                own.update([term] if one.chunk in holders else ())
    except StoreError:
        return [frozenset()] * len(found)  # The text alone is judged, then.
    return [frozenset(one) for one in held]


def _guesses(plan: SearchPlan) -> set[str]:
    """The terms that stand for a word that occurs nowhere. The long form of a word is what was meant; so is a name that
    begins like one of the question, and a long word with one slip."""
    is_name = plan.kind is QuestionKind.FACTUAL
    return {
        other
        for word, other in plan.question.corrections.items()
        if word not in plan.forms and not (is_name and other.startswith(word)) and not is_sure(word, other)
    }


def believed(fit: Abstention, coverage: float, strength: float, unseen: float, closeness: float) -> float:
    """How much an answer is believed by its evidence; see `Evidence`."""
    said = fit.bias + fit.coverage * coverage + fit.strength * strength + fit.unseen * unseen
    return 1.0 / (1.0 + exp(-max(_LEAST, said + fit.closeness * closeness)))


def _text(found: Slice) -> str:
    """A section as it is found by words: with its title and its headings."""
    return f"{found.title}\n{' '.join(found.trail)}\n{found.text}"


def rarities(plan: SearchPlan, tools: Tools) -> dict[str, float]:
    """How much each term of the question tells: the logarithm of how few chunks hold it."""
    if tools.words is None or not plan.counts:
        return {}
    return rarities_among(plan.counts, tools.words.size)


def rarities_among(counts: Mapping[str, int], chunks: int) -> dict[str, float]:
    """How much each of these terms tells among so many chunks."""
    size = max(1, chunks, *counts.values())
    return {term: log(1.0 + (size - count + 0.5) / (count + 0.5)) for term, count in counts.items()}


def doubt(evidence: Evidence | None, found: Sequence[Slice], plan: SearchPlan, tools: Tools) -> str:
    """Why these hits may be no answer, in a sentence; nothing where they are believed."""
    if evidence is None or tools.words is None or evidence.belief >= DOUBTED_APART:
        return ""
    if tools.words.size < _SMALL and evidence.coverage >= _LITTLE:
        return ""
    rarest = _rarest(plan, tools)
    is_weak = evidence.belief < DOUBTED or not evidence.coverage
    if not is_weak and len(rarest) > _SHORT:
        return ""
    besides = _besides(rarest[:_NAMED], found, plan, tools)
    in_each = [_held(_text(one), plan) | said for one, said in zip(found, besides, strict=True)]
    if not is_weak and not _apart(rarest[:2], in_each):
        return ""
    held = f"the best hits hold {evidence.coverage:.0%} of "
    if plan.question.foreign:
        return f"Weak. {foreign_text(plan.question)}; {held}it."
    apart = _apart(rarest[:_NAMED], in_each)
    if evidence.coverage > _EVERY_WORD:
        return f"Weak: {apart}." if apart else ""
    spelled = " as it was spelled" if _guesses(plan) else ""
    return f"Weak: {held}the question{spelled}{f'; {apart}' if apart else ''}."


def _rarest(plan: SearchPlan, tools: Tools) -> list[str]:
    """The words of the question that occur anywhere, the rarest first."""
    rarity = rarities(plan, tools)
    known = [term for term in rarity if plan.counts[term] and term not in plan.question.parts]
    return sorted(known, key=lambda term: (-rarity[term], term))


def _apart(rarest: Sequence[str], held: Sequence[frozenset[str]]) -> str:
    """Which of these words none of the hits holds, or none together, by the words that each holds."""
    for wanted in chain(combinations(rarest, 1), combinations(rarest, 2)):
        if not any(one.issuperset(wanted) for one in held):
            together = " together" if len(wanted) > 1 else ""
            return f"none of them holds {' and '.join(f'“{term}”' for term in wanted)}{together}"
    return ""


def is_believed(evidence: Evidence | None) -> bool:
    """Whether to answer. Where nothing can be judged, or every word was found, whoever asked judges."""
    return evidence is None or evidence.belief >= THRESHOLD or evidence.coverage > _EVERY_WORD
