"""What became of an address on the web that was asked whether it is there."""

from __future__ import annotations

from enum import StrEnum

from msgspec import Struct


class WebState(StrEnum):
    """How far the question came."""

    ANSWERED = "answered"
    """A server answered; `WebAnswer.status` is what it said."""
    SILENT = "silent"
    """No server answered this time: a time-out, a connection that was refused or broke off."""
    NO_HOST = "no_host"
    """The name of the host has no address, as far as can be told from here."""
    NOT_ASKED = "not_asked"
    """The address is not public, so it was not asked."""
    WRONG = "wrong"
    """It cannot work for anybody: an address that means nothing, redirects in a circle, a certificate of others."""


class WebAnswer(Struct, frozen=True):
    """One answer, or why there is none."""

    state: WebState
    status: int = 0
    """The status of HTTP; 0 where nobody answered."""
    moved_to: str = ""
    """Where the page is now, when every redirect on the way there was said to be permanent."""
    trouble: str = ""
    """What went wrong where nobody answered, as a sentence without its full stop."""
    wait_s: float = 0.0
    """How long the server asked to wait before the next request."""
