"""URLs as they are given and as servers redirect to them.

Text enters, a `Url` leaves: one whose host has exactly one meaning. Whatever different readers of URLs understand
differently is refused rather than repaired: control characters, backslashes, user names, percent signs in a host, and
numbers that are not four plain ones with dots between them.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urljoin, urlsplit

from msgspec import Struct

from pinakes.added.addresses import ip_literal
from pinakes.errors import Refused

MOST_LETTERS = 4_096
PORTS = {"http": 80, "https": 443}
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")
_ODD = re.compile(r"[\x00-\x20\x7f-\x9f\\\u2028\u2029]")
"""What other readers drop, or take for something else."""
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\Z")
_NUMBER = re.compile(r"(0x[0-9a-f]*|[0-9]+)\Z")
_KEPT = "/%:@!$&'()*+,;=~-._?"


class Url(Struct, frozen=True):
    """An address on the web, taken apart."""

    scheme: str
    host: str
    """In lower case and ASCII; a numeric IPv6 address without its brackets."""
    port: int
    target: str
    """Path and query, as they are sent."""

    def __str__(self) -> str:
        return f"{self.scheme}://{self.authority}{self.target}"

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def looks_like_url(text: str) -> bool:
    """Whether a text is meant as a URL and not as a path: it begins with a scheme, which a drive letter is not.

    What is on the disk does not matter: who may add URLs only must not reach files through a folder called ``http:``.
    """
    return _SCHEME.match(text) is not None


def read_url(text: str) -> Url:
    """Take a URL apart; raises `Refused` unless it is http or https with a host of one meaning."""
    if len(text) > MOST_LETTERS:
        raise _refused(text, f"is longer than {MOST_LETTERS:,} letters", "Give a shorter one.")
    if _ODD.search(text):
        raise _refused(text, "holds a space, a backslash or a control character", "Write those as %20 and the like.")
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError as error:
        raise _refused(text, f"cannot be read: {error}", "Correct it.") from None
    scheme = parts.scheme.lower()
    if scheme not in PORTS:
        raise _refused(
            text, "is neither http nor https", "For a file, give its path; write ./ before a name with a colon."
        )
    if "@" in parts.netloc:
        raise _refused(text, "holds a user name or a password", "Leave them out.")
    if port == 0:
        raise _refused(text, "names port 0", "Name the port that the server listens on.")
    host = _host(text, parts.netloc)
    target = quote(parts.path or "/", safe=_KEPT.replace("?", "")) + (
        f"?{quote(parts.query, safe=_KEPT)}" if parts.query else ""
    )
    return Url(scheme, host, port or PORTS[scheme], target)


def redirected(url: Url, location: str) -> Url:
    """Where a redirect leads; raises `Refused` where it must not."""
    place = location.strip(" \t").encode("latin-1", "replace").decode("utf-8", "replace").replace(" ", "%20")
    if _ODD.search(place):
        raise _refused(place, "(a redirect) holds a backslash or a control character", "Ask who runs that server.")
    try:
        joined = urljoin(str(url), place)
    except ValueError:
        raise _refused(place, "(a redirect) cannot be read", "Ask who runs that server.") from None
    next_url = read_url(joined)
    if url.scheme == "https" and next_url.scheme == "http":
        raise _refused(joined, f"is where {url.authority} redirects to, from https to http", "Add that address itself.")
    return next_url


def _host(text: str, netloc: str) -> str:
    if netloc.startswith("["):
        inner, _, rest = netloc[1:].partition("]")
        if rest and not re.fullmatch(r":\d*", rest):
            raise _refused(text, "names no host", "Correct it.")
        address = ip_literal(inner)
        if address is None or address.version != 6 or "%" in inner:
            raise _refused(text, "names an IPv6 address that is none, or an interface", "Correct it.")
        return str(address)
    name = netloc.rpartition(":")[0] if re.search(r":\d*\Z", netloc) else netloc
    if "%" in name:
        raise _refused(text, "holds a percent sign in its host", "Write the host out.")
    plain = _ascii(text, name).lower()
    plain = plain[:-1] if plain.endswith(".") else plain
    labels = plain.split(".")
    if _NUMBER.match(labels[-1]):
        # Some readers take 127.1, 0x7f.0.0.1, 017700000001 and 2130706433 for one address, others for none.
        address = ip_literal(plain)
        if address is None or address.version != 4:
            raise _refused(text, "spells a numeric address in an unusual way", "Write it as four plain numbers.")
        return str(address)
    if len(plain) > 253 or not all(_LABEL.match(label) for label in labels):
        raise _refused(text, "names no host", "Correct it.")
    return plain


def _ascii(text: str, name: str) -> str:
    """The host as it is looked up: other digits, other full stops and other letters become what they stand for."""
    if name.isascii():
        return name
    try:
        return name.encode("idna").decode("ascii")
    except UnicodeError:
        raise _refused(text, "names a host that cannot be written in ASCII", "Correct it.") from None


def _refused(text: str, problem: str, next_step: str) -> Refused:
    return Refused(f"{shortened(text)} {problem}.", next_step)


def shortened(text: str) -> str:
    """A URL for a sentence."""
    return text if len(text) <= 200 else f"{text[:200]}…"
