"""What was chosen, as answers: verbatim slices with addresses, marks and reasons, within a token limit."""

from __future__ import annotations

from collections.abc import Sequence

from pinakes.records import Hit, Span
from pinakes.search.plan import Plan
from pinakes.search.select import Chosen
from pinakes.tokens import count_tokens
from pinakes.words import marks


def present(chosen: Sequence[Chosen], plan: Plan) -> tuple[Hit, ...]:
    """Hits in the order given; what would go over the query's token limit is left out."""
    room = plan.query.max_tokens
    hits = []
    for one in chosen:
        hit = _hit(one, plan)
        if plan.query.max_tokens:
            cost = count_tokens(hit.text)
            if cost > room:
                continue
            room -= cost
        hits.append(hit)
    return tuple(hits)


def _hit(one: Chosen, plan: Plan) -> Hit:
    document, chunk = one.numbered.document, one.chunk
    text = document.text(chunk.span)
    return Hit(
        ref=document.section_ref(chunk.section),
        title=document.title,
        trail=document.trail(chunk.section),
        kind=document.kind,
        lines=chunk.lines,
        span=chunk.span,
        text=text,
        matches=tuple(_bytes(text, span, chunk.span.start) for span in marks(text, plan.asked)),
        score=one.candidate.score,
        votes=one.candidate.votes,
        digest=document.digest,
        modified=document.metadata.modified or document.metadata.created,
        also_in=one.also_in,
    )


def _bytes(text: str, span: Span, start: int) -> Span:
    """A span of characters of the slice as bytes of the source."""
    first = start + len(text[: span.start].encode())
    return Span(first, first + len(text[span.start : span.end].encode()))
