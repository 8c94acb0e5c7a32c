"""Take in a documentation site, page by page, as a project of added documents.

The address of a site enters; its pages leave as added documents, and a `SiteReport`. What the site says of itself
decides which pages there are: its ``llms.txt``, else its ``sitemap.xml``, else its links. One page is asked for at a
time, with a pause, as the host's ``robots.txt`` allows. How far it came is kept, so that the same command goes on.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import chain
from typing import TYPE_CHECKING

from msgspec import Struct

from pinakes.added.site import Robots, SiteScope, linked_pages, listed_pages, mapped_pages
from pinakes.added.urls import read_url
from pinakes.cancelling import checked
from pinakes.errors import NotFound, Refused, Unfit, Unreachable, Unreadable
from pinakes.own_folder import OwnFolder
from pinakes.records.added import Became, SiteReport, SkippedPage
from pinakes.records.sync import Event, Phase

if TYPE_CHECKING:
    from pinakes.added.fetch import FetchedDocument
    from pinakes.added.text import Original
    from pinakes.library.added import Added

_MOST_SITEMAPS = 50
_MOST_WAITING = 50_000
_MOST_LETTERS = 10_000_000
"""In all addresses that are known of a site: they are kept in memory, and on the disk every ten pages."""
_MOST_STATE_BYTES = 50_000_000
_KEEP_EVERY = 10
_IN_A_ROW = 5
"""Pages that may fail one after the other before the site is left alone."""


class FollowLimits(Struct, frozen=True):
    """How much of a site is taken, and how fast."""

    pages: int = 500
    total_bytes: int = 100_000_000
    delay_s: float = 1.0
    """Between two requests; the host may ask for more."""


class _Progress(Struct):
    """How far a site was taken in."""

    start: str
    found_by: str
    waiting: deque[str]
    seen: set[str]
    done: int = 0
    letters: int = 0
    """In `seen`."""

    def note(self, pages: Iterable[str]) -> None:
        """Pages that are to be asked for, unless they are known, or too many."""
        for page in pages:
            if page in self.seen:
                continue
            self.letters += len(page)
            if len(self.seen) >= _MOST_WAITING or self.letters > _MOST_LETTERS:
                return
            self.seen.add(page)
            self.waiting.append(page)

    def kept(self) -> bytes:
        told = {"start": self.start, "found_by": self.found_by, "waiting": [*self.waiting], "done": self.done}
        return json.dumps(told | {"seen": sorted(self.seen)}).encode()


class SiteFollower:
    """Follows one site into one project."""

    def __init__(self, added: Added, folder: OwnFolder, limits: FollowLimits, pause: Callable[[float], object]) -> None:
        self._added = added
        self._folder = folder
        self._limits = limits
        self._pause = pause
        self._asked_at = 0.0
        self._delay_s = limits.delay_s

    def follow(self, start: str, project: str, tell: Callable[[Event], None]) -> SiteReport:
        """Take in what is new or changed. Raises `Refused` where the host wants no programs, and `Unreachable` when
        nothing of it answers."""
        scope = SiteScope(read_url(start))
        robots = self._robots(scope)
        if not robots.allows(str(scope.start)):
            raise Refused(f"{start} is not taken in: its robots.txt asks programs to stay out.", "Ask who runs it.")
        self._delay_s = max(self._delay_s, robots.delay_s)
        state = self._earlier(scope, project) or self._first(scope, robots)
        counts = dict.fromkeys(Became, 0)
        skipped: list[SkippedPage] = []
        taken = failures = size = 0
        while state.waiting and taken < self._limits.pages and size < self._limits.total_bytes:
            url = next(checked(iter((state.waiting.popleft(),))))
            if not robots.allows(url):
                skipped.append(SkippedPage(url, "robots.txt asks programs to stay out"))
                continue
            taken += 1
            try:
                became, data = self._page(url, project, scope, is_whole=state.found_by == "links")
            except (Refused, Unfit, NotFound) as refused:
                skipped.append(SkippedPage(url, refused.problem))
            except Unreachable as trouble:
                skipped.append(SkippedPage(url, trouble.problem))
                failures += 1
                if failures >= _IN_A_ROW:
                    state.waiting.appendleft(url)
                    break
                continue
            else:
                counts[became] += 1
                size += len(data)
                if state.found_by == "links":
                    state.note(linked_pages(data.decode("utf-8", "replace"), url, scope))
            failures = 0
            state.done += 1
            if state.done % _KEEP_EVERY == 0:
                self._keep(project, state)
            tell(Event(Phase.PAGES, state.done, state.done + len(state.waiting), url))
        self._keep(project, state)
        return SiteReport(
            project=project,
            start=str(scope.start),
            found_by=state.found_by,
            added=counts[Became.ADDED],
            updated=counts[Became.UPDATED],
            unchanged=counts[Became.UNCHANGED],
            waiting=len(state.waiting),
            skipped=tuple(skipped),
        )

    def _page(self, url: str, project: str, scope: SiteScope, *, is_whole: bool) -> tuple[Became, bytes]:
        """What became of a page, and its bytes; none where the server says that nothing changed."""
        self._wait()
        sent: list[bytes] = []

        def see(original: Original) -> None:
            if not scope.page(original.base, original.base):
                raise Refused(f"{url} leads to {original.base}, outside of the site.", "Add that address itself.")
            sent.append(original.data)

        addition = self._added.take_page(url, project, see=see, is_whole=is_whole)
        return addition.became, sent[0] if sent else b""

    def _first(self, scope: SiteScope, robots: Robots) -> _Progress:
        """Where to begin: what the site lists, or else the address itself."""
        start = str(scope.start)
        state = _Progress(start, "links", deque([start]), {start})
        for place in scope.places("llms.txt"):
            if (found := self._listing(place)) and (pages := listed_pages(found, place, scope)):
                state.found_by = "llms.txt"
                state.note(pages)
                return state
        mapped = self._mapped(scope, robots)
        if first := next(mapped, ""):
            state.found_by = "sitemap.xml"
            state.note(chain((first,), mapped))
        return state

    def _mapped(self, scope: SiteScope, robots: Robots) -> Iterator[str]:
        own = [one for one in robots.sitemaps if one.startswith(f"{scope.origin}/")]
        places, asked = deque([*own, *scope.places("sitemap.xml")]), set[str]()
        while places and len(asked) < _MOST_SITEMAPS:
            place = places.popleft()
            if place in asked or not place.startswith(f"{scope.origin}/"):
                continue
            asked.add(place)
            pages, more = mapped_pages(self._listing(place), place, scope)
            places += more
            yield from pages

    def _robots(self, scope: SiteScope) -> Robots:
        try:
            return Robots(_text(self._fetched(f"{scope.origin}/robots.txt")))
        except (NotFound, Refused, Unfit):
            return Robots("")

    def _listing(self, place: str) -> str:
        """A file in which a site lists its pages; empty where there is none that can be read."""
        with suppress(Unreadable, NotFound):
            found = self._fetched(place)
            return "" if found is not None and found.media == "text/html" else _text(found)
        return ""

    def _fetched(self, url: str) -> FetchedDocument | None:
        self._wait()
        return self._added.fetched(url)

    def _wait(self) -> None:
        """Until the pause since the last request is over."""
        left = self._asked_at + self._delay_s - time.monotonic()
        if self._asked_at and left > 0:
            self._pause(left)
        self._asked_at = time.monotonic()

    def _earlier(self, scope: SiteScope, project: str) -> _Progress | None:
        """What an earlier call left over of this site; its addresses are judged anew."""
        try:
            told = json.loads(self._folder.read(_state_name(project), _MOST_STATE_BYTES))
            if told["start"] != str(scope.start) or not told["waiting"]:
                return None
            waiting = [page for one in told["waiting"][:_MOST_WAITING] if (page := scope.page(str(one), str(one)))]
            seen = {*map(str, told["seen"])}
            letters = sum(map(len, seen))
            return _Progress(told["start"], str(told["found_by"]), deque(waiting), seen, int(told["done"]), letters)
        except (OSError, ValueError, LookupError, TypeError, RecursionError):
            return None

    def _keep(self, project: str, state: _Progress) -> None:
        with suppress(OSError):  # it then begins anew
            self._folder.make(unseen=True).replace(_state_name(project), state.kept(), durable=False)


def _text(found: FetchedDocument | None) -> str:
    return found.data.decode("utf-8", "replace").lstrip("\ufeff") if found else ""


def _state_name(project: str) -> str:
    return f"site-{project}.json"
