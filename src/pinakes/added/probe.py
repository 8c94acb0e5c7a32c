"""Asking an address on the web whether it is there, by the rules of fetching and without reading what it holds.

A URL enters, a `WebAnswer` leaves, whatever happens. Redirects are followed and checked like the address itself.
"""

from __future__ import annotations

import socket
import ssl
import time
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http.client import HTTPException, HTTPResponse

from pinakes.added.addresses import AllowedHosts
from pinakes.added.fetch import REDIRECTS, Resolver, look_up, responding
from pinakes.added.urls import Url, read_url, redirected
from pinakes.errors import Refused, Unreachable
from pinakes.records.web import WebAnswer, WebState

_PERMANENT = frozenset((301, 308))
_MOST_REDIRECTS = 10
_NO_SUCH_NAME = frozenset(
    code for name in ("EAI_NONAME", "EAI_NODATA") if (code := getattr(socket, name, None)) is not None
)
_HEADERS = (("Accept", "text/html, text/*;q=0.9, */*;q=0.8"), ("Accept-Encoding", "identity"))


def probe(text: str, allowed: AllowedHosts, seconds: float, resolve: Resolver = look_up) -> WebAnswer:
    """What a server says of an address, within so many seconds for all redirects together."""
    deadline = time.monotonic() + seconds
    try:
        url = read_url(text)
    except Refused as refused:
        return WebAnswer(WebState.WRONG, trouble=refused.problem.removesuffix("."))
    except UnicodeError:
        return WebAnswer(WebState.WRONG, trouble="it holds bytes that are no text")
    passed, is_permanent = [str(url)], True
    while True:
        answer = _asked(url, allowed, deadline, resolve)
        if isinstance(answer, WebAnswer):
            if answer.state is WebState.NOT_ASKED and len(passed) > 1:
                return WebAnswer(WebState.WRONG, trouble=f"it is redirected to {url}, which is no public address")
            if answer.state is WebState.SILENT and not answer.trouble:
                return WebAnswer(WebState.SILENT, trouble=f"no answer within {seconds:g} s")
            moved = str(url) if is_permanent and len(passed) > 1 and answer.status else ""
            return WebAnswer(answer.state, answer.status, moved, answer.trouble, answer.wait_s)
        status, place = answer
        is_permanent = is_permanent and status in _PERMANENT
        try:
            url = redirected(url, place)
        except Refused as refused:
            return WebAnswer(WebState.WRONG, trouble=refused.problem.removesuffix("."))
        if str(url) in passed or len(passed) > _MOST_REDIRECTS:
            how = "in a circle" if str(url) in passed else f"more than {_MOST_REDIRECTS} times"
            return WebAnswer(WebState.WRONG, trouble=f"it is redirected {how}")
        passed.append(str(url))


def _asked(url: Url, allowed: AllowedHosts, deadline: float, resolve: Resolver) -> WebAnswer | tuple[int, str]:
    """One request: an answer, or the status of a redirect and where it leads. An answer that took too long has no
    words for its trouble."""
    try:
        with responding(url, allowed, _HEADERS, deadline, resolve) as response:
            if response.status in REDIRECTS and (place := response.getheader("Location")):
                return response.status, place
            return WebAnswer(WebState.ANSWERED, response.status, wait_s=_wait(response))
    except TimeoutError:
        return WebAnswer(WebState.SILENT)
    except Refused:
        return WebAnswer(WebState.NOT_ASKED, trouble=f"{url.host} is no public address")
    except Unreachable as error:
        cause = error.__cause__
        is_unknown = isinstance(cause, UnicodeError) or (
            isinstance(cause, socket.gaierror) and cause.errno in _NO_SUCH_NAME
        )
        if is_unknown or cause is None:
            return WebAnswer(WebState.NO_HOST, trouble=f"{url.host} has no address")
        return WebAnswer(WebState.SILENT, trouble=f"{url.host} cannot be looked up")
    except ssl.SSLCertVerificationError as error:
        return WebAnswer(WebState.WRONG, trouble=f"the certificate of {url.host} is not valid: {error.verify_message}")
    except (OSError, HTTPException, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error) or type(error).__name__
        return WebAnswer(WebState.SILENT, trouble=f"{url.host}: {reason}")


def _wait(response: HTTPResponse) -> float:
    """Seconds that a server asks to wait, as a number or as a moment."""
    said = (response.getheader("Retry-After") or "").strip()
    if said.isascii() and said.isdigit():
        return float(said[:9])
    with suppress(ValueError, TypeError):
        return max((parsedate_to_datetime(said) - datetime.now(UTC)).total_seconds(), 0.0)
    return 0.0
