"""A heading without text of its own is shown with what stands below it.

What was chosen enters and leaves, in the same order. Headings above the same text are one hit. Where the section with
that text was chosen too, it is the hit, at the best of their places, unless a heading has a little text of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from pinakes.ports import Reader
from pinakes.prose import visible_slice
from pinakes.records import ChunkId, Slice, Span
from pinakes.search.plan import SearchPlan
from pinakes.search.present import part
from pinakes.search.select import Chosen
from pinakes.words import fits

NO_TEXT = 40
"""Characters below a heading that say too little to be an answer."""
_LONGEST = 1500
"""Characters of a section from which it has text of its own, however much of it is markup."""
_LONGEST_PLAIN = 200
"""How many without templates and tags; to look closer at every hit takes a tenth of a search."""
_BEGINNING = 320
"""Characters that mostly tell."""
_DEEPEST = 4
"""How many headings may follow each other before one that has text."""


def with_text_below(chosen: Sequence[Chosen], plan: SearchPlan, reader: Reader) -> tuple[Chosen, ...]:
    """The chosen, each with something to read where its document has it."""
    groups: dict[ChunkId, list[int]] = {}
    texts: dict[ChunkId, Slice] = {}
    bare = [(at, one.slice) for at, one in enumerate(chosen) if is_bare(one.slice)]
    plan.slices.fetch(_after(found) for _, found in bare)
    for at, found in bare:
        text = _below(found, plan)
        if text is not None:
            groups.setdefault(text.chunk, []).append(at)
            texts[text.chunk] = text
    if not groups:
        return tuple(chosen)
    shown: list[Chosen | None] = list(chosen)
    for chunk, above in groups.items():
        own = [at for at, one in enumerate(chosen) if one.slice.chunk == chunk]
        if own:  # what little somebody wrote below a heading is not lost
            above = [at for at in above if not _own_text(chosen[at].slice)]
            if not above:
                continue
        first = min(*above, *own, len(chosen))
        if own:
            winner = chosen[own[0]]
        else:
            winner = replace(chosen[first], slice=_joined(chosen[first].slice, texts[chunk], reader))
        headings = tuple(ref for at in above if (ref := chosen[at].slice.ref) != winner.slice.ref)
        also_in = dict.fromkeys(ref for at in (*above, *own) for ref in chosen[at].also_in)
        candidate = replace(winner.candidate, score=chosen[first].candidate.score)
        for at in (*above, *own):
            shown[at] = None
        shown[first] = replace(winner, candidate=candidate, also_in=tuple(also_in), headings=headings)
    return tuple(one for one in shown if one is not None)


def is_bare(found: Slice) -> bool:
    """Whether a reader finds next to nothing in a slice but its heading."""
    has_markup = "{" in found.text or "<" in found.text
    if len(found.text) > (_LONGEST if has_markup else _LONGEST_PLAIN) or found.labels:
        return False
    # The beginning alone mostly tells. A heading is in it as a whole, and an entity of HTML that is cut in two is no
    # longer than what is asked of it beyond `NO_TEXT`.
    if len(found.text) > 2 * _BEGINNING and not (found.trail and len(found.trail[-1]) > _BEGINNING // 2):
        beginning = replace(found, text=found.text[:_BEGINNING])
        if len(_own_text(beginning)) >= 2 * NO_TEXT:
            return False
    return len(_own_text(found)) < NO_TEXT


def _own_text(found: Slice) -> str:
    """What a reader finds in a slice besides its heading."""
    text = visible_slice(found.text, found.span.start, found.hidden).strip()
    heading = found.trail[-1].strip() if found.trail else ""
    return text.removeprefix(heading).strip()


def _below(bare: Slice, plan: SearchPlan) -> Slice | None:
    """The first slice below a heading that has text, within its section; else the first that has a little."""
    allowed = replace(plan.question, phrases=())
    one, little = bare, None
    for _ in range(_DEEPEST):
        after = plan.slices.find(_after(one))
        if after is None or after.trail[: len(bare.trail)] != bare.trail or not fits(after.text, allowed):
            return little
        if not is_bare(after):
            return after
        little = little or (after if _own_text(after) else None)
        one = after
    return little


def _after(found: Slice) -> ChunkId:
    """The next slice of the document."""
    return ChunkId(found.chunk.document, found.chunk.ordinal + len(found.passages) + 1)


def _joined(bare: Slice, below: Slice, reader: Reader) -> Slice:
    """A heading with the beginning of what stands below it."""
    document = reader.document(bare.ref)
    if document is None or document.digest != bare.digest:
        return bare
    first = part(below, below.passages[0]) if below.passages else below
    span = Span(bare.span.start, first.span.end)
    return replace(
        bare, span=span, lines=Span(bare.lines.start, first.lines.end), text=document.text(span), passages=()
    )
