"""How the door stands: where it listens, which names it answers to, and how much it takes at once."""

from __future__ import annotations

import ipaddress

from msgspec import Struct, field

from pinakes.errors import ConfigError
from pinakes.serve.freshness import FreshnessOptions

LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")
SHORTEST_TOKEN = 16
"""Characters; what is shorter can be guessed by asking."""


class ServeLimits(Struct, frozen=True):
    """What one client may take; beyond it the answer is a refusal. Constants with reasons rather than settings."""

    body_bytes: int = 2_000_000
    """A question is a few hundred bytes; the largest tool call is a document."""
    file_body_bytes: int = 2_000_000
    """Of a file that is saved; where there is a workspace, this is enough for every file that it opens."""
    bodies_bytes: int = 100_000_000
    """Of all requests that are being answered, together."""
    body_s: float = 10.0
    """To send a body."""
    header_bytes: int = 65_536
    """Room for the longest address, every letter of it percent-encoded; browsers send less than 8 kB."""
    one_header_bytes: int = 16_384
    """Browsers send the cookies of every server on this machine along."""
    headers: int = 100
    path_bytes: int = 16_384
    """A path of 4,096 bytes, every one of them percent-encoded, and what stands around it."""
    parameters: int = 500
    """In an address: a few lists of a hundred entries."""
    keys: int = 1_000
    values: int = 25_000
    """In a body: a client may subscribe to ten thousand resources at once."""
    depth: int = 32
    digits: int = 400
    """Of a number in a body."""
    answer_s: float = 30.0
    """To wait for an answer."""
    waiting: int = 256
    """Requests that may wait for a thread; the next is told to come back."""
    streams: int = 512
    """Streams open at once, of each kind: events, MCP sessions that listen, subscriptions."""
    connections: int = 2048
    """Open at once; fewer where the system allows few descriptors."""
    reserve: int = 32
    """Connections beyond those, which are answered `/health` and told to come back."""
    unread_bytes: int = 256_000_000
    """Of answers that wait to be read, of all connections together."""


class ServeOptions(Struct, frozen=True):
    """Where `pinakes serve` listens and for whom."""

    host: str = "127.0.0.1"
    port: int = 7465
    token: str = ""
    """What clients must show as a bearer token, whatever they ask; empty for none, which only loopback allows."""
    names: tuple[str, ...] = ()
    """More names that this server is reached by, such as a proxy's: `docs.example` or `docs.example:8443`."""
    write_token: str = ""
    """Without `token`: what clients must show before they write; empty when everybody may write who reaches us."""
    tokens_url: str = ""
    """The database whose tokens clients must show, whatever they ask; then there is no other token."""
    tokens_read_urls: tuple[str, ...] = ()
    """Those of its replicas, which are asked while the primary is away."""
    base_path: str = ""
    """What a proxy puts before our addresses, such as ``/docs``; without a slash at its end."""
    limits: ServeLimits = ServeLimits()
    freshness: FreshnessOptions = field(default_factory=FreshnessOptions)

    def check(self) -> None:
        """Refuse what would let strangers in."""
        if not self.token and not self.tokens_url and not is_loopback(self.host):
            raise ConfigError(
                f"{self.host} can be reached from other machines, and no token is set.",
                "Set one with --token or PINAKES_TOKEN, or listen on 127.0.0.1.",
            )
        if self.token and (
            len(self.token) < SHORTEST_TOKEN or not self.token.isascii() or not self.token.isprintable()
        ):
            raise ConfigError(
                f"The token must have at least {SHORTEST_TOKEN} plain characters.",
                "python -c 'import secrets; print(secrets.token_urlsafe(32))' makes one.",
            )

    def authorities(self) -> frozenset[str]:
        """Every `Host` this server answers to: loopback's names, its own, and those that were added."""
        own = () if is_wildcard(self.host) else (bracketed(self.host),)
        found = {f"{name}:{self.port}" for name in (*LOOPBACK_NAMES, *own)}
        if self.port == 80:
            found |= {*LOOPBACK_NAMES, *own}
        for name in self.names:
            found |= {name} if _has_port(name) else {name, f"{name}:{self.port}"}
        return frozenset(name.lower() for name in found)

    def origins(self) -> frozenset[str]:
        """Every `Origin` that is this server's own page; a proxy may have put TLS in front of it."""
        return frozenset(f"{scheme}://{name}" for name in self.authorities() for scheme in ("http", "https"))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach it."""
    if host.lower() == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_wildcard(host: str) -> bool:
    """Whether it stands for every address of the machine: nobody calls a server by such a name."""
    try:
        return ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return not host


def bracketed(host: str) -> str:
    """As it stands in an URL."""
    return f"[{host}]" if ":" in host else host


def _has_port(name: str) -> bool:
    return name.rpartition(":")[2].isdigit() and ":" in name
