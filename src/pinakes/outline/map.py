"""A finished map: blocks of text with their digests, and the same as data.

What was drawn enters; text, digests and plain data leave. Nothing is fitted here.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256

from pinakes.outline.options import MapDetail
from pinakes.records import Outline
from pinakes.tokens import count_tokens


def digest(text: str) -> str:
    """Of a text; 64 bits are plenty to tell versions of one block apart."""
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]


@dataclass(frozen=True, slots=True)
class Shown:
    """A document of which some or all sections are shown."""

    outline: Outline
    places: tuple[int, ...] | None
    """The sections shown, in reading order, the root left out; None for all of them."""
    summaries: Sequence[str] = ()
    """First sentences of all sections, the root's first; empty when nobody asked."""
    sizes: Sequence[int] = ()
    """Tokens of all sections with what is below them; empty when nobody asked."""

    @property
    def sections(self) -> Sequence[int]:
        return range(1, len(self.outline.sections)) if self.places is None else self.places

    @property
    def hidden(self) -> int:
        """How many sections are not shown."""
        return len(self.outline.sections) - 1 - len(self.sections)


@dataclass(frozen=True, slots=True)
class MapBlock:
    """A part of a map that changes on its own."""

    id: str
    """The folder, with a slash at its end, or a part of a large folder."""
    text: str
    digest: str
    """Of the text and the short names used in it."""
    files: tuple[Shown, ...]
    more: tuple[tuple[str, int], ...] = ()
    """Folders and how many of their files are not shown."""
    aliases: tuple[str, ...] = ()
    """The lines that explain the short names used in the text."""


@dataclass(frozen=True, slots=True)
class Map:
    """What is in here, in N tokens."""

    blocks: tuple[MapBlock, ...]
    legend: str
    """The signs that are used, explained; one line, empty in the smallest maps."""
    aliases: tuple[str, ...]
    """Short names of folders, a line each."""
    notes: tuple[str, ...]
    """What a reader should know about the map itself: how much is shown, what is still being made."""
    hash: str
    """Of all blocks: equal hashes mean equal maps, apart from the notes."""
    detail: MapDetail
    total_sections: int
    total_documents: int
    budget_tokens: int
    gone: tuple[str, ...] = ()
    """Blocks that an earlier map had and this one has not."""

    def text(self) -> str:
        """The map as it is printed; lines end with a line feed, the last one does not."""
        head = [self.legend, *self.aliases]
        gone = [f"gone: {', '.join(self.gone)}"] if self.gone else []
        return "\n".join(part for part in [*head, *(block.text for block in self.blocks), *gone, *self.notes] if part)

    @property
    def tokens(self) -> int:
        """The cost of `text()`; counted when asked, as a whole map may be megabytes."""
        return count_tokens(self.text())

    @property
    def shown_sections(self) -> int:
        return sum(len(shown.sections) for block in self.blocks for shown in block.files)

    @property
    def shown_documents(self) -> int:
        return sum(len(block.files) for block in self.blocks)

    def block_digests(self) -> dict[str, str]:
        """What `changed_blocks` compares with, later."""
        return {block.id: block.digest for block in self.blocks}

    def plain(self) -> dict[str, object]:
        """The map as data for JSON."""
        return {
            "hash": self.hash,
            "tokens": self.tokens,
            "budget_tokens": self.budget_tokens,
            "documents": {"shown": self.shown_documents, "total": self.total_documents},
            "sections": {"shown": self.shown_sections, "total": self.total_sections},
            "notes": self.notes,
            "gone": self.gone,
            "blocks": [
                {
                    "id": block.id,
                    "digest": block.digest,
                    "files": [_file(shown, self.detail) for shown in block.files],
                    "more_files": dict(block.more),
                }
                for block in self.blocks
            ],
        }


def changed_blocks(drawn: Map, earlier: Mapping[str, str]) -> Map:
    """Only what differs from an earlier map's `block_digests`: blocks that changed or appeared, and names of the gone.

    Never over the budget either: when names of gone blocks do not fit, the last ones are only counted.
    """
    present = {block.id for block in drawn.blocks}
    gone = tuple(name for name in earlier if name not in present)
    kept = tuple(block for block in drawn.blocks if earlier.get(block.id) != block.digest)
    if not kept and not gone:
        return replace(drawn, blocks=(), legend="", aliases=(), notes=_fitting(("nothing changed",), drawn))
    aliases = tuple(dict.fromkeys(line for block in kept for line in block.aliases))
    changed = replace(drawn, blocks=kept, aliases=aliases, gone=gone)
    named = len(gone)
    while drawn.budget_tokens and changed.tokens > drawn.budget_tokens and named:
        named //= 2
        rest = f"… {len(gone) - named} more blocks gone"
        changed = replace(changed, gone=(*gone[:named], rest))
    return changed if not drawn.budget_tokens or changed.tokens <= drawn.budget_tokens else replace(changed, gone=())


def blocks_with(drawn: Map, changed: Collection[str], gone: Sequence[str]) -> Map:
    """Only the blocks that hold one of the `changed` documents, shown or not, and the names of those that are gone."""
    hidden = set(changed) - {shown.outline.ref.path for block in drawn.blocks for shown in block.files}
    kept = tuple(
        block
        for block in drawn.blocks
        if any(shown.outline.ref.path in changed for shown in block.files)
        or any(path.startswith(f"{folder}/" if folder else "") for folder, _ in block.more for path in hidden)
    )
    earlier = {block.id: block.digest for block in drawn.blocks if block not in kept}
    return changed_blocks(drawn, earlier | dict.fromkeys(gone, ""))


def _fitting(notes: tuple[str, ...], drawn: Map) -> tuple[str, ...]:
    fits = not drawn.budget_tokens or count_tokens("\n".join(notes)) <= drawn.budget_tokens
    return notes if fits else ()


def _file(shown: Shown, detail: MapDetail) -> dict[str, object]:
    outline = shown.outline
    targets: dict[int, list[object]] = {}
    for reference in outline.references if detail.references else ():
        targets.setdefault(reference.section, []).append(reference.to)
    root = outline.sections[0]
    return {
        "ref": outline.ref,
        "path": outline.ref.path,
        "title": outline.title,
        "kind": outline.kind,
        "media": outline.media.name,
        "cited": outline.cited,
        "line_count": root.lines.length,
        "keywords": root.keywords[: detail.keywords],
        "shapes": root.shapes,
        "references": targets.get(0, []),
        **_asked_for(shown, 0, detail),
        "more_sections": shown.hidden,
        "sections": [
            {
                "anchor": section.anchor,
                "title": section.title,
                "level": section.level,
                "lines": section.lines.outside(),
                "keywords": section.keywords[: detail.keywords],
                "shapes": section.shapes,
                "cited": outline.cited_sections[place],
                "references": targets.get(place, []),
                **_asked_for(shown, place, detail),
            }
            for place in shown.sections
            for section in (outline.sections[place],)
        ],
    }


def _asked_for(shown: Shown, place: int, detail: MapDetail) -> dict[str, object]:
    """What only some maps show of a section."""
    found: dict[str, object] = {}
    if shown.summaries and detail.summaries:
        found["summary"] = shown.summaries[place]
    if shown.sizes:
        found["tokens"] = shown.sizes[place]
    return found
