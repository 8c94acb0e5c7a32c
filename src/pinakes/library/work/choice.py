"""What stands in the prompt of a workspace: a mode, selected files, another map, web pages, changes to review.

Choices enter, a `LibraryContext` leaves. Each mode has a tracker of its own, so that a switch there and back changes no
byte of the prompt.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from pinakes.context import assemble
from pinakes.context.modes import ContextMode
from pinakes.conversation.history import ChatHistory
from pinakes.errors import ConfigError, NotFound, PinakesError, Refused
from pinakes.library.context import (
    ContextMaterial,
    LibraryContext,
    MapCache,
    ModeTrackers,
    context_material,
    file_block,
    make_block,
    overlay_blocks,
)
from pinakes.library.library import Library
from pinakes.library.listed_files import LARGEST, listed_path
from pinakes.library.review import review, review_block
from pinakes.library.work.modes import why_no_code
from pinakes.records import ADDED, CODE, DOCS, CorpusName
from pinakes.records.context import ContextBlock, ContextLayout
from pinakes.render.text import safe

SyncCorpora = Callable[[Sequence[CorpusName]], None]
"""Makes the indexes of these corpora agree with their folder."""
MOST_SELECTED = 500
_MOST_URLS = 50


class SelectedFiles(Struct, frozen=True):
    """The files that stand in the prompt in full."""

    paths: tuple[str, ...]
    tokens: int


class FetchedPage(Struct, frozen=True):
    """A web page that stands in the prompt."""

    url: str
    title: str
    tokens: int


class ContextChoice:
    """What one person has chosen to work with."""

    def __init__(self, library: Library, sync: SyncCorpora | None, cache_target: int) -> None:
        self.library = library
        """May be replaced by the same library with other settings."""
        self.sync = sync or self._refresh
        """How indexes are brought up to date; may be replaced, too."""
        self._changing = threading.RLock()
        self._trackers = ModeTrackers(cache_target)
        self._maps = MapCache()
        self._mode = ContextMode.CODE
        self._selected: tuple[str, ...] = ()
        self._has_overlay = False
        self._pages: dict[str, str] = {}
        """The ids of added documents by their address."""
        self._review: str | None = None
        """The range of commits to review; None where nothing is."""

    @property
    def mode(self) -> ContextMode:
        """Code, unless there is none here or somebody switched."""
        return ContextMode.DOCS if why_no_code(self.library) else self._mode

    @property
    def selection(self) -> SelectedFiles:
        """The files in full; one that is gone, or is no text any more, is not among them."""
        found: list[ContextBlock] = []
        for path in self._selected:
            with suppress(NotFound, ConfigError):
                found.append(file_block(self.library, path))
        return SelectedFiles(tuple(one.key.removeprefix("file:") for one in found), sum(one.tokens for one in found))

    @property
    def has_overlay(self) -> bool:
        """Whether the map of the other mode stands in the prompt, too."""
        return self._has_overlay

    @property
    def review_range(self) -> str | None:
        """The range of commits whose changes stand in the prompt, empty for what is not committed; None for nothing."""
        return self._review

    @property
    def urls(self) -> tuple[str, ...]:
        """The web pages that stand in the prompt."""
        return tuple(self._pages)

    def select(self, paths: Sequence[str]) -> SelectedFiles:
        """Have exactly these files stand in the prompt in full; raises `NotFound` and `ConfigError`."""
        if len(paths) > MOST_SELECTED:
            raise ConfigError(f"More than {MOST_SELECTED} files were selected.", "Select fewer.")
        known = tuple(dict.fromkeys(listed_path(self.library, path) for path in paths))
        blocks = [file_block(self.library, path) for path in known]
        with self._changing:
            deselected = [path for path in self._selected if path not in known]
            self._selected = known
        self.read_again(deselected)  # whose outlines come back
        return SelectedFiles(known, sum(one.tokens for one in blocks))

    def set_overlay(self, *, on: bool) -> bool:
        """Whether the map of the other mode stands in the prompt, too; returns what is so now."""
        if on and (reason := why_no_code(self.library)):
            raise ConfigError(reason, "There is one map only.")
        with self._changing:
            self._has_overlay = on
        return on

    def set_review(self, commits: str | None) -> None:
        """Have the changes of a range of commits stand in the prompt; empty for what is not committed, None for
        nothing. Raises `NotFound`."""
        if commits is not None:
            review(self.library, commits)
        with self._changing:
            self._review = commits

    def fetch(self, url: str) -> FetchedPage:
        """Fetch a web page by the rules of `add`, keep it, and have it stand in the prompt. Raises `Refused`,
        `Unreachable` and `Unfit`."""
        from pinakes.added.urls import looks_like_url

        if not looks_like_url(url):
            raise Refused(f"“{url[:200]}” is no address of a web page.", "Give one that begins with https://.")
        if len(self._pages) >= _MOST_URLS:
            raise ConfigError(f"{_MOST_URLS} pages stand in the prompt already.", "Take one out first.")
        document = self.library.added.add(url).document
        self.library.refresh(corpora=(ADDED,))
        block = self._page_block(url, document.id)
        with self._changing:
            self._pages[url] = document.id
        return FetchedPage(url, document.title, block.tokens)

    def forget_url(self, url: str) -> None:
        """Take a web page out of the prompt; what was fetched stays among the added documents."""
        with self._changing:
            if self._pages.pop(url, None) is None:
                raise NotFound(f"“{url[:200]}” does not stand in the prompt.", "Look at the context again.")

    def draw_maps(self) -> None:
        """Have the maps of all modes at hand, so that the first switch takes as little time as any other."""
        with self._changing, suppress(PinakesError):  # whoever switches is told
            for mode in ContextMode:
                if mode.corpus in self.library.corpora:
                    self._maps.draw(self.library, mode, self.library.config.work.budget_tokens)

    def read_again(self, paths: Sequence[str]) -> None:
        """Take in these files, whatever their size and time say."""
        for name in (DOCS, CODE) if paths else ():
            if name in self.library.corpora and self.library.corpus(name).is_indexed:
                self.library.corpus(name).refresh(paths, verify=True)

    def _switch_to(self, mode: ContextMode, said: ChatHistory) -> None:
        """The tracker of the mode sees the present context, in which nothing is selected. If that has none to show,
        everything stays as it was."""
        with self._changing:
            before = self._mode, self._selected, self._has_overlay
            self._mode, self._selected, self._has_overlay = mode, (), False
            try:
                self._trackers.update(mode, self._material(said))
            except PinakesError:
                self._mode, self._selected, self._has_overlay = before
                raise

    def _preview(self, said: ChatHistory, question: str) -> LibraryContext:
        with self._changing:
            layout = self._trackers.preview(self.mode, self._material(said))
            return self._assembled(layout, said, question)

    def _count(self, said: ChatHistory, question: str) -> LibraryContext:
        """The context of a request that is made now."""
        with self._changing:
            layout = self._trackers.update(self.mode, self._material(said))
            return self._assembled(layout, said, question)

    def _assembled(self, layout: ContextLayout, said: ChatHistory, question: str) -> LibraryContext:
        asked = said.question(question) if question else ""
        prompt = assemble(self.mode.system_prompt, layout, said.said, asked)
        return LibraryContext(self.mode, layout, prompt, self._trackers.cache_target)

    def _material(self, said: ChatHistory) -> ContextMaterial:
        mode, selected = self.mode, self.selection.paths
        budget = self.library.config.work.budget_tokens
        material = context_material(self.library, mode, selected, budget, self._maps)
        more: list[ContextBlock] = []
        if self._has_overlay:
            more += overlay_blocks(self.library, mode, selected, self._maps)
        for url, document in self._pages.items():
            with suppress(PinakesError):  # it was dropped meanwhile
                more.append(self._page_block(url, document))
        if self._review is not None:
            with suppress(NotFound):  # the branch is gone
                more.append(review_block(review(self.library, self._review)))
        return replace(material, blocks=(*material.blocks, *more, *said.blocks))

    def _page_block(self, url: str, document: str) -> ContextBlock:
        text = self.library.added.get(document).text
        if len(text) > LARGEST:
            raise ConfigError(f"{url} has more than {LARGEST:,} letters.", "Search in it instead: it was added.")
        return make_block(f"url:{url}", f"{safe(url)}:\n\n{text}")

    def _refresh(self, corpora: Sequence[CorpusName]) -> None:
        known = [one for one in corpora if one in self.library.corpora]
        self.library.refresh(corpora=known)
