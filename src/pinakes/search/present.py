"""What was chosen, as answers: verbatim slices with addresses, marks and reasons, within a token limit.

Several corpora give several answers; `merge_results` makes one of them. Each corpus has an index of its own, so the
scores of two of them share no scale: the best hit of each stands near 1 even where only one of them answers. What does
mean the same everywhere is the belief that there is an answer at all (see `evidence`), so a corpus's scores count by as
much as it is believed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from itertools import chain

from msgspec.structs import replace

from pinakes.ports import Reader
from pinakes.prose import table_head
from pinakes.records import BlockKind, Hit, HitDetail, Query, Ref, Results, Slice, Span
from pinakes.search.plan import SearchPlan
from pinakes.search.rare import RARE
from pinakes.search.select import Chosen
from pinakes.search.units import P, within
from pinakes.tokens import count_tokens
from pinakes.words import marks

_LINE_END = re.compile(r"\r\n|\r|\n")
_GAP = re.compile(r"\s*")
_TABLE_ROW = re.compile(r"[^\n]*\|[^\n]*(?:\n(?![ \t>]*\|?[ \t]*:?-+:?[ \t]*[|\n])|\Z)|\s*<t[rdh]\b", re.IGNORECASE)
"""Begins what may begin in the midst of a table: no row of dashes comes next."""
UNKNOWN = " These words occur nowhere"
"""How the sentence about words begins that no section holds."""


def present(chosen: Sequence[Chosen], plan: SearchPlan, reader: Reader) -> tuple[Hit, ...]:
    """Hits in the order given, as they were asked for, or as much of each as the query's token limit allows."""
    sizes = [_sizes(one, plan, reader) for one in chosen]
    if not plan.query.max_tokens:
        return tuple(_hit(one, forms[-1](), plan, reader) for one, forms in zip(chosen, sizes, strict=True))
    if plan.query.detail is HitDetail.IDS:
        sizes = [[partial(replace, one.slice, text="")] for one in chosen]
    return tuple(
        _hit(chosen[place], shown, plan, reader, is_named=not is_shown)
        for place, shown, is_shown in within(sizes, plan.query.max_tokens)
    )


def _sizes(one: Chosen, plan: SearchPlan, reader: Reader) -> list[Callable[[], Slice]]:
    """A hit from its shortest form to the one that was asked for."""
    whole = partial(_itself, one.slice)
    if plan.query.detail is HitDetail.IDS:
        return [whole]
    forms: list[Callable[[], Slice]] = [partial(best_passage, one.slice, plan)]
    if plan.query.detail is HitDetail.SECTION:
        forms += [whole, partial(widened, one, reader)] if one.siblings else [whole]
    return forms


def _itself(shown: P) -> P:
    return shown


def _hit(one: Chosen, shown: Slice, plan: SearchPlan, reader: Reader, *, is_named: bool = False) -> Hit:
    """What was chosen as an answer; by its address alone where that was asked for, or where there is no more room."""
    if is_named or plan.query.detail is HitDetail.IDS:
        named = one.slice.hit(one.candidate.score, one.candidate.votes, (), one.also_in)
        return replace(named, text="", tokens=count_tokens(one.slice.text))
    matches = _bytes(shown.text, marks(shown.text, plan.question), shown.span.start)
    hit = shown.hit(one.candidate.score, one.candidate.votes, matches, one.also_in)
    before = _table_head(shown, reader) if _TABLE_ROW.match(shown.text) else hit.before
    return replace(hit, tokens=count_tokens(shown.text), before=before)


def _table_head(shown: Slice, reader: Reader) -> str:
    """The first row of the table in whose midst a slice begins, as Markdown; nothing where it begins elsewhere."""
    document = reader.document(shown.ref)
    at = shown.span.start
    if document is None or document.digest != shown.digest:
        return ""
    for block in document.blocks:
        if block.span.start < at < block.span.end and block.kind in (BlockKind.TABLE, BlockKind.HTML):
            return table_head(document.text(block.span))
    return ""


def widened(one: Chosen, reader: Reader) -> Slice:
    """The chunk together with those of its section that stand right beside it and are among the leaders too."""
    document = reader.document(one.slice.ref)
    if document is None or document.digest != one.slice.digest:
        return one.slice
    shown = one.slice
    for sibling in sorted(one.siblings, key=lambda held: abs(held.span.start - shown.span.start)):
        first, last = sorted((shown, sibling), key=lambda held: held.span.start)
        between = document.text(Span(first.span.end, max(first.span.end, last.span.start)))
        if _GAP.fullmatch(between):
            span = Span(first.span.start, max(first.span.end, last.span.end))
            lines = Span(first.lines.start, max(first.lines.end, last.lines.end))
            shown = replace(shown, span=span, lines=lines, text=document.text(span))
    return shown


def best_passage(found: Slice, plan: SearchPlan) -> Slice:
    """The passage of a slice that holds most of the question's words; the whole slice when it has none."""
    passages = [part(found, span) for span in found.passages]
    return max(passages, key=lambda one: len(_held(one.text, plan)), default=found)


def part(found: Slice, span: Span) -> Slice:
    """A stretch of a slice, as a slice of its own."""
    data = found.text.encode()
    start, end = span.start - found.span.start, span.end - found.span.start
    text = data[start:end].decode()
    first = found.lines.start + len(_LINE_END.findall(data[:start].decode()))
    lines = Span(first, first + len(_LINE_END.findall(text)) + 1)
    return replace(found, span=span, lines=lines, text=text, passages=())


def _held(text: str, plan: SearchPlan) -> set[str]:
    return {text[span.start : span.end].lower() for span in marks(text, plan.question)}


def _bytes(text: str, spans: Sequence[Span], start: int) -> tuple[Span, ...]:
    """Spans of characters of the slice, in order, as bytes of the source."""
    if text.isascii():
        return tuple([Span(start + first, start + end) for first, end in spans])
    found = []
    reached, place = 0, start
    for first, end in spans:
        if first < reached:  # runs of scripts without spaces may begin inside of a word
            reached, place = 0, start
        place += len(text[reached:first].encode())
        reached = end
        found.append(Span(place, place := place + len(text[first:end].encode())))
    return tuple(found)


def merge_results(query: Query, answers: Sequence[Results]) -> Results:
    """One answer to `query` from the answers of one or several corpora, each hit with its own reasons."""
    if len(answers) == 1:
        return grouped(answers[0])
    weighed = [(hit.score * _belief(answer), hit) for answer in answers for hit in answer.hits]
    ranked = sorted(weighed, key=_order)
    least = query.min_share * ranked[0][0] if ranked else 0.0
    # What has a place of its own in its corpus has one here, as long as there are places.
    rare = [pair for pair in ranked if any(vote.retriever == RARE for vote in pair[1].votes)]
    others = [pair for pair in ranked if pair not in rare and (pair[0] >= least or _is_of(pair, ranked[0]))]
    kept = sorted([*rare, *others][: query.limit], key=_order)
    hits = _within(query, [replace(hit, score=score) for score, hit in kept])
    best = max(answers, key=_belief)
    unknown = [word for word in best.unknown if all(word in answer.unknown for answer in answers)]
    merged = Results(
        query,
        best.kind,
        tuple(hits),
        tuple(stage for answer in answers for stage in answer.stages),
        tuple(dict.fromkeys(part for answer in answers for part in answer.missing)),
        tuple(unknown),
        {word: meant for answer in (*answers, best) for word, meant in answer.corrections.items()},
        best.evidence,
        "" if hits else best.abstained,
        () if hits else best.nearest,
        best.doubt if hits else "",
    )
    return grouped(merged)


def weighed_scores(found: Results) -> list[float]:
    """The scores of an answer's hits as they count beside those of other indexes."""
    return [hit.score * _belief(found) for hit in found.hits]


def grouped(found: Results) -> Results:
    """An answer with the hits of one page together, where the query asks for that."""
    return replace(found, hits=tuple(chain.from_iterable(found.pages()))) if found.query.group else found


def known_elsewhere(answers: Sequence[Results]) -> tuple[str, ...]:
    """Words that one corpus knows and for which another searched in a different spelling."""
    replaced = {word for answer in answers for word in answer.corrections}
    known = {word for word in replaced for one in answers if word not in one.corrections and word not in one.unknown}
    return tuple(sorted(known))


def _is_of(one: tuple[float, Hit], best: tuple[float, Hit]) -> bool:
    """Whether a hit is of the best one's index, which has left out by itself what is far below."""
    return one[1].home == best[1].home


def _order(weighed: tuple[float, Hit]) -> tuple[float, Ref]:
    score, hit = weighed
    return -score, hit.ref


def partial_results(found: Results, missing: Sequence[str]) -> Results:
    """An answer that some corpora could not give: it says which, and calls no word unknown."""
    reason = found.abstained.partition(UNKNOWN)[0]
    return replace(found, missing=(*found.missing, *missing), unknown=(), abstained=reason)


def _belief(answer: Results) -> float:
    return answer.evidence.belief if answer.evidence else float(bool(answer.hits))


def _within(query: Query, hits: list[Hit]) -> list[Hit]:
    """As many of the best as the token budget holds: each corpus kept to it by itself."""
    if not query.max_tokens:
        return hits
    fitting = within([[partial(_itself, hit)] for hit in hits], query.max_tokens)
    return [hit if is_shown else replace(hit, text="", matches=()) for _, hit, is_shown in fitting]
