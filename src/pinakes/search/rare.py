"""A word that stands in few places is found.

A short question enters, and which chunks hold its rarest known word leaves (`rare_chunks`). Other words, meaning and
links may speak for other sections, and many of them; so those that hold the rarest word have places of their own among
the hits (`with_rare`). They are where the ranking puts them or, where that is too far down, the last ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from pinakes.ports import WordIndex
from pinakes.records import ChunkId, ParsedQuestion, Ranking, Ref, Scope, Vote
from pinakes.search.plan import SearchPlan, Tools
from pinakes.search.select import Chosen, Selection, select

RARE = "rare"
"""The vote for a section that holds the rarest word."""
SHORT = 4
"""Words of a question, empty ones left out, up to which each of them is taken for what is looked for. In a longer one
the rarest word is as often a turn of phrase."""
_CHUNKS = 20
"""Chunks of one section, at most: so much longer is a word's list of chunks allowed to be than that of its sections."""


def rare_chunks(question: ParsedQuestion, words: WordIndex, scope: Scope | None, limit: int) -> frozenset[ChunkId]:
    """The chunks that hold the rarest known word of a short question, if they stand in at most `limit` sections. While
    the last word is being typed, the best chunk for each word that it may become."""
    if question.unfinished:
        return _one_for_each(question, words, scope, limit)
    asked = [term for term in question.terms if term not in question.parts]
    if len(asked) > SHORT:
        return frozenset()
    few: list[Mapping[ChunkId, int]] = []
    for term in asked:
        # Captions and the like count as long as they take no places from the text.
        for besides in (True, False):
            held = words.holders(term, scope, _CHUNKS * limit, besides=besides)
            if held and _sections(held) <= limit:
                few.append(held)
                break
    fewest: Mapping[ChunkId, int] = min(few, key=_sections, default={})
    return frozenset(fewest)


def _one_for_each(question: ParsedQuestion, words: WordIndex, scope: Scope | None, limit: int) -> frozenset[ChunkId]:
    found: dict[ChunkId, None] = {}
    others = tuple(term for term in question.terms if term != question.unfinished)
    for word in question.extra_terms:
        held = words.holders(word, scope, _CHUNKS * limit, besides=True)
        if held and not found.keys().isdisjoint(held):
            continue  # Shown by what stands for another word, often one with the same stem.
        one = replace(question, terms=(*others, word), extra_terms={})
        found.update(dict.fromkeys([best.chunk for best in words.match(one, scope, 1)]))
        if len(found) == limit:
            break
    return frozenset(found)


def _sections(chunks: Mapping[ChunkId, int]) -> int:
    return len({(chunk.document, section) for chunk, section in chunks.items()})


def with_rare(found: Selection, ranking: Ranking, plan: SearchPlan, tools: Tools) -> Selection:
    """What was selected, the last of it replaced by sections that hold the rarest word and would be missing; to be
    `shortened` when all is folded."""
    plan.slices.fetch(plan.rare)
    wanted = {one.ref for chunk in plan.rare if (one := plan.slices.find(chunk)) is not None}
    if wanted.difference(*map(_shown, found.chosen)):
        found = _with_missing(found.chosen, wanted, ranking, plan, tools)
    chosen = tuple(_marked(one) if not wanted.isdisjoint(_shown(one)) else one for one in found.chosen)
    return replace(found, chosen=chosen)


def _with_missing(
    chosen: Sequence[Chosen], wanted: set[Ref], ranking: Ranking, plan: SearchPlan, tools: Tools
) -> Selection:
    """As much of what was chosen as leaves places for the others."""
    room = len(chosen)
    while room and room + len(wanted.difference(*map(_shown, chosen[:room]))) > plan.query.limit:
        room -= 1
    places = {one.chunk: place for place, one in enumerate(ranking)}
    ends = [places[one.candidate.chunk] for one in chosen]
    ends.append(ends[-1] + 1 if ends else 0)
    while True:
        after = [one for one in ranking[ends[room] :] if one.chunk in plan.rare]
        if room == len(chosen) < plan.query.limit:  # Some were folded: what follows has room, behind these.
            after += [one for one in ranking[ends[room] :] if one.chunk not in plan.rare]
        # More places than there are: headings without text and translations, already folded in what was chosen, come
        # once more, and the last ones are still folded into those before them.
        again = select((*ranking[: ends[room]], *after), plan, tools, 3 * plan.query.limit)
        if room == len(chosen) or len(again.chosen) >= plan.query.limit:
            return again
        room += 1  # Duplicates were folded, so that others have room.


def shortened(chosen: Sequence[Chosen], limit: int) -> tuple[Chosen, ...]:
    """The first ones, and all that have a place of their own."""
    rare = [any(vote.retriever == RARE for vote in one.candidate.votes) for one in chosen]
    left = limit - sum(rare)
    kept = []
    for one, is_rare in zip(chosen, rare, strict=True):
        if is_rare or left > 0:
            kept.append(one)
            left -= not is_rare
    return tuple(kept[:limit])


def with_headings_named(chosen: Sequence[Chosen], plan: SearchPlan) -> tuple[Chosen, ...]:
    """The chosen; a heading that holds the rarest word, and is shown with the text below it, is named by that hit."""
    wanted = {one.ref for chunk in plan.rare if (one := plan.slices.find(chunk)) is not None}
    return tuple(
        replace(one, also_in=tuple(dict.fromkeys((*one.also_in, *filter(wanted.__contains__, one.headings)))))
        if one.headings
        else one
        for one in chosen
    )


def _marked(one: Chosen) -> Chosen:
    """With a vote that says why it is here, also when answers of several corpora are merged."""
    return replace(one, candidate=replace(one.candidate, votes=(*one.candidate.votes, Vote(RARE, 0, 1.0))))


def _shown(one: Chosen) -> tuple[Ref, ...]:
    return one.slice.ref, *one.also_in, *one.headings
