"""The processes of a server, as one that answers sees them. Here: there is no other one.

What differs where several processes serve one port (`serve.workers`) is asked of a `Crew`: who refreshes, which process
holds a session, what all of them counted.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence

from msgspec import Struct
from starlette.types import ASGIApp

from pinakes.records import Event
from pinakes.serve.freshness import Freshness, FreshnessOptions
from pinakes.serve.libraries import Libraries
from pinakes.serve.pool import Pool
from pinakes.serve.slots import Shares


class ProcessReport(Struct, frozen=True):
    """What one process of a server says of itself."""

    memory_bytes: int
    streams: int = 0
    """Event streams that are open."""
    waiting: int = 0
    """Requests that wait for an answer."""
    metrics: str = ""
    """What it counted, in the text format of Prometheus."""


class Crew:
    """A process that serves alone."""

    name = ""
    """Of this process among the others."""
    shares: Shares = Shares()
    """Of the limits that hold for all of them."""

    def freshness(
        self,
        libraries: Libraries,
        options: FreshnessOptions,
        pool: Pool,
        on_progress: Callable[[str, Event], None],
    ) -> Freshness:
        """Who brings the libraries up to date before an answer."""
        return Freshness(libraries, options, pool, on_progress)

    def with_sessions(self, app: ASGIApp) -> ASGIApp:
        """The app of a protocol with sessions, such that each request reaches the process that holds its session."""
        return app

    def join(self, report: Callable[[], Awaitable[ProcessReport]], count_wrong: Callable[[str], object]) -> None:
        """Let the others ask this process for a report, and tell it of peers that showed them a wrong token."""

    def tell_wrong_token(self, peer: str) -> None:
        """Tell the others that a peer showed a wrong token here."""

    async def reports(self, own: ProcessReport) -> Sequence[ProcessReport]:
        """Of every process, this one included."""
        return (own,)
