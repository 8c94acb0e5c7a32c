"""The blocks of a library's context: outlines, names of other files, and the files that somebody selected.

A library, a mode and a selection enter; a `ContextLayout` leaves, and the prompt made of it. Each mode has a tracker of
its own, which is made when the mode is first used and keeps its state while the other is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from pinakes.context import CACHE_TARGET, TierTracker, assemble, first_places
from pinakes.context.modes import ContextMode
from pinakes.errors import ConfigError, StoreError
from pinakes.library.listed_files import is_hidden, listed_bytes, listed_path
from pinakes.outline import Map, MapRequest
from pinakes.records import CODE, DOCS, Layout, media_of
from pinakes.records.context import ContextBlock, ContextLayout, Tier
from pinakes.records.conversation import ChatMessage, ModelPrompt
from pinakes.render.text import safe
from pinakes.tokens import count_tokens

if TYPE_CHECKING:
    from pinakes.library.library import Library

_MOST_NAMES = 40
"""Names of files that a folder lists; the rest is counted."""


class LibraryContext(Struct, frozen=True):
    """The context of one request."""

    mode: ContextMode
    layout: ContextLayout
    prompt: ModelPrompt
    cache_target: int

    @property
    def tokens(self) -> int:
        return sum(one.block.tokens for one in self.layout.blocks) + count_tokens(self.mode.system_prompt)

    @property
    def cached_tokens(self) -> int:
        """Of these, what stands in tiers that are cached."""
        return sum(self.layout.tokens(tier) for tier in Tier if tier is not Tier.ACTIVE)

    def plain(self) -> Mapping[str, object]:
        """Its shape on the wire."""
        blocks = [
            {
                "key": one.block.key,
                "tier": one.tier.label,
                "stands_in": one.stands_in.label,
                "number": one.number,
                "tokens": one.block.tokens,
            }
            for one in self.layout.blocks
        ]
        counts = {"tokens": self.tokens, "cached_tokens": self.cached_tokens, "cache_target": self.cache_target}
        return {"mode": self.mode, **counts, "blocks": blocks, "prompt": self.prompt}


class ContextMaterial(Struct, frozen=True):
    """The blocks of a context, and what is known of them before they are observed."""

    blocks: tuple[ContextBlock, ...]
    components: Mapping[str, int]
    """Which blocks hang together, by key."""
    cited: Mapping[str, int]
    """How often a file is cited, by key."""


class ModeTrackers:
    """Where the blocks of one conversation stand, for each mode by itself. A tracker is made when its mode is first
    used, and keeps its state while the other mode is."""

    def __init__(self, cache_target: int = CACHE_TARGET) -> None:
        self.cache_target = cache_target
        self._trackers: dict[ContextMode, TierTracker] = {}

    @property
    def modes(self) -> tuple[ContextMode, ...]:
        """The modes that were used."""
        return tuple(self._trackers)

    def update(self, mode: ContextMode, material: ContextMaterial) -> ContextLayout:
        """Count a request that is made of this material."""
        if mode not in self._trackers:
            self._trackers[mode] = TierTracker(self.cache_target)
            return self._trackers[mode].update(material.blocks, self._first(material))
        return self._trackers[mode].update(material.blocks)

    def preview(self, mode: ContextMode, material: ContextMaterial) -> ContextLayout:
        """Where everything would stand in such a request; nothing is counted."""
        if mode not in self._trackers:
            return TierTracker(self.cache_target).update(material.blocks, self._first(material))
        return self._trackers[mode].copy().update(material.blocks)

    def _first(self, material: ContextMaterial) -> Mapping[str, Tier]:
        return first_places(material.blocks, material.components, material.cited, self.cache_target)


class ContextTrackers:
    """The contexts of one conversation over a library."""

    def __init__(self, library: Library, cache_target: int = CACHE_TARGET) -> None:
        self._library = library
        self._trackers = ModeTrackers(cache_target)

    def update(
        self,
        mode: ContextMode,
        select: Sequence[str] = (),
        budget_tokens: int = 0,
        said: Sequence[ChatMessage] = (),
        question: str = "",
        *,
        more: Sequence[ContextBlock] = (),
    ) -> LibraryContext:
        """The context of the next request: the map within a budget (0: as configured), the selected files in full, and
        `more` blocks of other origin, such as the earlier exchanges of a conversation."""
        material = context_material(self._library, mode, select, budget_tokens)
        material = replace(material, blocks=(*material.blocks, *more))
        layout = self._trackers.update(mode, material)
        prompt = assemble(mode.system_prompt, layout, said, question)
        return LibraryContext(mode, layout, prompt, self._trackers.cache_target)


def context_material(
    library: Library,
    mode: ContextMode,
    select: Sequence[str] = (),
    budget_tokens: int = 0,
    maps: MapCache | None = None,
) -> ContextMaterial:
    """The map of a mode within a budget, the names of other files, and the selected files in full. `maps` are those
    that were drawn before."""
    drawn = (maps or MapCache()).draw(library, mode, budget_tokens)
    chosen = tuple(dict.fromkeys(listed_path(library, one) for one in select))
    names = _names(library, mode, frozenset(chosen))
    blocks = (*_maps(drawn, frozenset(chosen)), *names, *(file_block(library, path) for path in chosen))
    components = {f"map:{path}": number for path, number in drawn.components.items()}
    components |= {block.key: -number for number, block in enumerate(names, 1)}
    cited = {f"map:{one.id}": one.file.outline.cited + sum(one.file.outline.cited_sections) for one in drawn.blocks}
    return ContextMaterial(blocks, components, cited)


def overlay_blocks(
    library: Library, mode: ContextMode, select: Sequence[str] = (), maps: MapCache | None = None
) -> tuple[ContextBlock, ...]:
    """The map of the other mode, for those who want to see both. Outlines of drawings belong to document mode alone."""
    other = ContextMode.DOCS if mode is ContextMode.CODE else ContextMode.CODE
    drawn = (maps or MapCache()).draw(library, other, 0)
    if mode is ContextMode.CODE:
        kept = tuple(one for one in drawn.blocks if media_of(one.id).layout is not Layout.DRAWING)
        drawn = replace(drawn, blocks=kept)
    return tuple(replace(one, key=one.key.replace("map:@", "map:@@")) for one in _maps(drawn, frozenset(select)))


class MapCache:
    """The maps of a library by mode, drawn once for as long as neither corpus changes: a switch shall take no time."""

    def __init__(self) -> None:
        self._maps: dict[ContextMode, tuple[object, Map]] = {}

    def draw(self, library: Library, mode: ContextMode, budget_tokens: int) -> Map:
        """The map of a mode within a budget (0: as configured)."""
        generations = tuple(library.corpus(one).generation for one in (DOCS, CODE) if one in library.corpora)
        key = (library, budget_tokens, generations)
        known = self._maps.get(mode)
        if known is None or known[0] != key:
            known = self._maps[mode] = (key, _map_of(library, mode, budget_tokens))
        return known[1]


def _map_of(library: Library, mode: ContextMode, budget_tokens: int) -> Map:
    if mode.corpus not in library.corpora:
        raise ConfigError(
            "Source code is not read here.", "Set code.enabled = true in pinakes.toml, or ask for --mode docs."
        )
    budget = budget_tokens or library.config.map.budget_tokens
    request = MapRequest(budget_tokens=budget, summary=mode is ContextMode.DOCS)
    return library.map("" if mode.corpus == DOCS else f"{mode.corpus}:", request)


def _maps(drawn: Map, selected: frozenset[str]) -> list[ContextBlock]:
    """A block for each file of the map that is not selected. What the digest covers is its structure, so that a
    corrected typo, another count of lines or a new citation moves nothing."""
    blocks = []
    if drawn.aliases:
        blocks.append(make_block("map:@", "\n".join(drawn.aliases)))
    for one in drawn.blocks:
        if one.id not in selected:
            folder = one.id.rpartition("/")[0]
            text = f"{safe(folder)}/{one.text}" if folder else one.text
            blocks.append(ContextBlock(f"map:{one.id}", one.structure, text, count_tokens(text)))
    return blocks


def _names(library: Library, mode: ContextMode, selected: frozenset[str]) -> list[ContextBlock]:
    """For each folder, the names of files of which the mode has no outline."""
    folders: dict[str, list[str]] = {}
    outlined = library.corpus(mode.corpus).digests()
    for path in _known_paths(library, mode):
        folder, _, name = path.rpartition("/")
        is_shown = path in outlined or path in selected
        if not is_shown and not is_hidden(path):
            folders.setdefault(folder, []).append(name)
    blocks = []
    for folder, names in folders.items():
        more = f", … {len(names) - _MOST_NAMES} more" if len(names) > _MOST_NAMES else ""
        blocks.append(make_block(f"files:{folder}", f"{safe(folder)}/: {safe(', '.join(names[:_MOST_NAMES]))}{more}"))
    return blocks


def _known_paths(library: Library, mode: ContextMode) -> list[str]:
    try:
        return sorted(library.corpus(DOCS).store.files(DOCS))
    except StoreError:
        if mode is ContextMode.DOCS:
            raise
        return []  # code can be worked on without names of other files; whoever works on documents is told


def file_block(library: Library, path: str) -> ContextBlock:
    """A file in full. It must be one that is listed: nothing ignored or hidden, and nothing outside the root."""
    text = listed_bytes(library, path).decode("utf-8", "replace")
    return make_block(f"file:{path}", f"{safe(path)} in full:\n\n{text}")


def make_block(key: str, text: str) -> ContextBlock:
    return ContextBlock(key, sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16], text, count_tokens(text))
