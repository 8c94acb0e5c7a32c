"""A finished map: blocks of text with their digests, and the same as data.

What was drawn enters; text, digests and plain data leave. Nothing is fitted here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import groupby

from msgspec import Struct
from msgspec.structs import replace

from pinakes.graph.measures import components
from pinakes.outline.options import EVERYTHING, FEW_KEYWORDS, Detail
from pinakes.outline.paths import folder_of, upward
from pinakes.outline.tree import FolderLine
from pinakes.records import Layout, Outline
from pinakes.render import safe
from pinakes.tokens import count_tokens


def digest(text: str) -> str:
    """Of a text; 64 bits are plenty to tell versions of one block apart."""
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


class Shown(Struct, frozen=True):
    """A document of which some or all sections are shown."""

    outline: Outline
    details: Mapping[int, Detail] | None = None
    """What is said of each section that is shown, the root among them; None for everything of all of them."""
    summaries: Sequence[str] = ()
    """First sentences of all sections, the root's first; empty when nobody asked."""
    sizes: Sequence[int] = ()
    """Tokens of all sections with what is below them; empty when nobody asked."""
    collapsed: str = ""
    """What is said of a file of tests in place of its symbols."""

    @property
    def path(self) -> str:
        return self.outline.ref.path

    @property
    def sections(self) -> Sequence[int]:
        """The sections shown, in reading order, the root left out."""
        if self.details is None:
            return range(1, len(self.outline.sections))
        return sorted(place for place in self.details if place)

    def details_of(self, place: int) -> Detail:
        return EVERYTHING if self.details is None else self.details[place]

    @property
    def hidden(self) -> int:
        """How many sections are not shown."""
        return 0 if self.details is None else len(self.outline.sections) - len(self.details)


LONGEST_NOTE = 160
"""Characters of the note of a folder on its line."""


class MapBlock(Struct, frozen=True):
    """A file in a map: the part that changes on its own."""

    text: str
    """Its lines, as they stand in a folder that is not indented."""
    digest: str
    """Of everything that is printed of it."""
    structure: str
    """Digest of the whole document's headings, their nesting and its links, whatever is printed of them."""
    file: Shown
    aliases: tuple[str, ...] = ()
    """The lines that explain the short names used in the text."""

    @property
    def id(self) -> str:
        return self.file.path


class MapFolder(Struct, frozen=True):
    """A folder in a map."""

    folder: FolderLine
    hidden: int
    """How many of its documents are not shown, below it and under no other folder of the map."""


class Map(Struct, frozen=True):
    """What is in here, in N tokens."""

    blocks: tuple[MapBlock, ...]
    """A block for each file that is shown, in the order of the text."""
    folders: tuple[MapFolder, ...]
    """The folders that have a line, in the order of the text; the root first."""
    legend: str
    """The signs that are used, explained; one line, empty in the smallest maps."""
    aliases: tuple[str, ...]
    """Short names of folders that links lead to, a line each."""
    notes: tuple[str, ...]
    """What a reader should know about the map itself: how much is shown, what is still being made."""
    total_sections: int
    total_documents: int
    budget_tokens: int
    gone: tuple[str, ...] = ()
    """Blocks that an earlier map had and this one has not."""
    bridges: tuple[tuple[str, str], ...] = ()
    """Pairs of files that belong together although no document shown says so: code that uses other code."""

    @property
    def hash(self) -> str:
        """Of all blocks and folders: equal hashes mean equal maps, apart from the notes."""
        noted = ((one, f"\t{one.folder.note}" if one.folder.note else "") for one in self.folders)
        folders = [f"{one.folder.path}\t{one.hidden}{note}" for one, note in noted]
        return digest("\n".join([*(f"{block.id}\t{block.digest}" for block in self.blocks), *folders]))

    def text(self) -> str:
        """The map as it is printed; lines end with a line feed, the last one does not."""
        gone = [f"gone: {', '.join(self.gone)}"] if self.gone else []
        return "\n".join(line for line in [self.legend, *self.aliases, *self._tree(), *gone, *self.notes] if line)

    def _tree(self) -> Iterator[str]:
        files = {folder: list(blocks) for folder, blocks in groupby(self.blocks, lambda block: folder_of(block.id))}
        for one in self.folders:
            if one.folder.path:
                yield folder_line(one.folder, one.hidden)
            indent = "  " * one.folder.depth
            for block in files.get(one.folder.path, ()):
                yield indent + block.text.replace("\n", f"\n{indent}")
        if self.folders and self.folders[0].hidden:
            yield left_out(self.folders[0].hidden).lstrip()

    @property
    def tokens(self) -> int:
        """The cost of `text()`; counted when asked, as a whole map may be megabytes."""
        return count_tokens(self.text())

    @property
    def shown_sections(self) -> int:
        return sum(len(block.file.sections) for block in self.blocks)

    @property
    def shown_documents(self) -> int:
        return len(self.blocks)

    @property
    def components(self) -> Mapping[str, int]:
        """Which of the documents shown hang together by references, by path: 0 is the largest component."""
        return components([block.file.outline for block in self.blocks], self.bridges)

    def block_digests(self) -> dict[str, str]:
        """What `changed_blocks` compares with, later."""
        return {block.id: block.digest for block in self.blocks}

    def plain(self) -> dict[str, object]:
        """The map as data for JSON."""
        together = self.components
        return {
            "hash": self.hash,
            "tokens": self.tokens,
            "budget_tokens": self.budget_tokens,
            "documents": {"shown": self.shown_documents, "total": self.total_documents},
            "sections": {"shown": self.shown_sections, "total": self.total_sections},
            "notes": self.notes,
            "gone": self.gone,
            "folders": [
                {
                    "path": one.folder.path,
                    "more_files": one.hidden,
                    "documents": one.folder.documents,
                    "note": one.folder.note,
                }
                for one in self.folders
            ],
            "blocks": [
                {"id": block.id, "digest": block.digest, "structure": block.structure, **_file(block.file, together)}
                for block in self.blocks
            ],
        }


def folder_line(folder: FolderLine, hidden: int) -> str:
    """The folder's name and what is left out of it, indented; its files are indented once more."""
    note = f" — {folder.note[:LONGEST_NOTE]}" if folder.note else ""
    return "  " * (folder.depth - 1) + folder.label + left_out(hidden) + safe(note)


def left_out(hidden: int) -> str:
    """The end of a line: how many sections of the file, or files of the folder, are not shown. As short as can be,
    because a tight map has it on most lines."""
    return f" …{hidden}" if hidden else ""


def structure_of(outline: Outline) -> str:
    """A digest that a word in the text does not change, and a heading, its place or a link does."""
    headings = (
        f"{section.parent} {section.level} {section.anchor} {section.title}" for section in outline.sections[1:]
    )
    links = (f"{reference.section} → {reference.to}" for reference in outline.references)
    return digest("\n".join([*headings, *links]))


def changed_blocks(drawn: Map, earlier: Mapping[str, str], still_there: Collection[str] = ()) -> Map:
    """Only what differs from an earlier map's `block_digests`: blocks that changed or appeared, and names of the gone.

    Files that are `still_there` are not gone where this map leaves them out; they are counted. Never over the budget
    either: when names of gone blocks do not fit, the last ones are only counted.
    """
    shown = {block.id for block in drawn.blocks}
    missing = tuple(name for name in earlier if name not in shown)
    gone = tuple(name for name in missing if name not in still_there)
    found = _only(drawn, [block for block in drawn.blocks if earlier.get(block.id) != block.digest], gone, ())
    left = len(missing) - len(gone)
    note = f"{left:,} {'file' if left == 1 else 'files'} of the earlier map left out here, so not compared"
    noted = replace(found, notes=(*found.notes, note)) if left else found
    return noted if not drawn.budget_tokens or noted.tokens <= drawn.budget_tokens else found


def blocks_with(drawn: Map, changed: Collection[str], gone: Sequence[str]) -> Map:
    """Only the blocks of the `changed` documents, a count of those that are not shown, and the names of the gone."""
    kept = [block for block in drawn.blocks if block.id in changed]
    return _only(drawn, kept, tuple(gone), set(changed) - {block.id for block in kept})


def _only(drawn: Map, blocks: Sequence[MapBlock], gone: tuple[str, ...], hidden: Collection[str]) -> Map:
    """A map of some blocks, with lines for the folders that lead to them, or to a document that is not shown."""
    if not blocks and not gone and not hidden:
        notes = _fitting(("nothing changed",), drawn)
        return replace(drawn, blocks=(), folders=(), legend="", aliases=(), notes=notes)
    lines = {one.folder.path: one.folder for one in drawn.folders}
    counts = Counter(next(above for above in upward(folder_of(path)) if above in lines) for path in hidden)
    needed = {""}
    for folder in {*counts, *(folder_of(block.id) for block in blocks)}:
        while folder not in needed:
            needed.add(folder)
            folder = lines[folder].above
    kept = tuple(MapFolder(one.folder, counts[one.folder.path]) for one in drawn.folders if one.folder.path in needed)
    aliases = tuple(dict.fromkeys(line for block in blocks for line in block.aliases))
    changed = replace(drawn, blocks=tuple(blocks), folders=kept, aliases=aliases, gone=gone)
    named = len(gone)
    while drawn.budget_tokens and changed.tokens > drawn.budget_tokens and named:
        named //= 2
        changed = replace(changed, gone=(*gone[:named], f"… {len(gone) - named} more blocks gone"))
    return changed if not drawn.budget_tokens or changed.tokens <= drawn.budget_tokens else replace(changed, gone=())


def _fitting(notes: tuple[str, ...], drawn: Map) -> tuple[str, ...]:
    fits = not drawn.budget_tokens or count_tokens("\n".join(notes)) <= drawn.budget_tokens
    return notes if fits else ()


def _file(shown: Shown, components: Mapping[str, int]) -> dict[str, object]:
    outline = shown.outline
    targets: dict[int, list[object]] = {}
    for reference in outline.references:
        targets.setdefault(reference.section, []).append(reference.to)
    root = outline.sections[0]
    return {
        "ref": outline.ref,
        "path": outline.ref.path,
        "title": outline.title,
        "kind": outline.kind,
        "media": outline.media.name,
        "component": components[outline.ref.path],
        "cited": outline.cited,
        "line_count": root.lines.length,
        **_details(shown, 0, targets),
        "more_sections": shown.hidden,
        "sections": [
            {
                "anchor": section.anchor,
                "title": section.title,
                "level": section.level,
                "lines": section.lines.outside(),
                "cited": outline.cited_sections[place],
                **({"symbol": section.symbol} if section.symbol else {}),
                **_details(shown, place, targets),
            }
            for place in shown.sections
            for section in (outline.sections[place],)
        ],
    }


def _details(shown: Shown, place: int, targets: Mapping[int, list[object]]) -> dict[str, object]:
    """What a budget may leave out of a section, and what only some maps show."""
    section, details = shown.outline.sections[place], shown.details_of(place)
    # The labels of a drawing are all that can be read in it.
    all_of_them = Detail.ALL_KEYWORDS in details or shown.outline.media.layout is Layout.DRAWING
    found: dict[str, object] = {
        "keywords": section.keywords[: None if all_of_them else FEW_KEYWORDS if Detail.KEYWORDS in details else 0],
        "shapes": section.shapes if Detail.FACTS in details else (),
        "references": targets.get(place, []) if Detail.REFERENCES in details else [],
    }
    if shown.summaries and Detail.SUMMARY in details:
        found["summary"] = shown.summaries[place]
    if shown.sizes:
        found["tokens"] = shown.sizes[place]
    return found
