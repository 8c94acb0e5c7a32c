"""Which addresses of a network may be connected to.

A host or a numeric address enters, an answer leaves. What is public is decided by our own table and not by the
standard library's, which has changed its mind between releases. It refuses to look names up.
"""

from __future__ import annotations

from collections.abc import Iterable
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

from msgspec import Struct

from pinakes.errors import ConfigError

IPAddress = IPv4Address | IPv6Address

_CLOSED_4 = tuple(
    IPv4Network(network)
    for network in (
        "0.0.0.0/8",  # this host
        "10.0.0.0/8",
        "100.64.0.0/10",  # shared by carriers; some clouds keep their metadata here
        "127.0.0.0/8",
        "168.63.129.16/32",  # a cloud's own service, in an otherwise public range
        "169.254.0.0/16",  # link-local, and most clouds' metadata
        "172.16.0.0/12",
        "192.0.0.0/24",
        "192.0.2.0/24",
        "192.88.99.0/24",  # relays into 6to4
        "192.168.0.0/16",
        "198.18.0.0/15",
        "198.51.100.0/24",
        "203.0.113.0/24",
        "224.0.0.0/4",  # multicast
        "240.0.0.0/4",  # reserved, and broadcast
    )
)
_OPEN_6 = IPv6Network("2000::/3")
"""Everything that is not in here is local, multicast, embedded or not given out."""
_CLOSED_6 = tuple(
    IPv6Network(network)
    for network in (
        "2001::/23",  # protocols; Teredo, which carries IPv4 addresses, is in here
        "2001:db8::/32",
        "2002::/16",  # 6to4, which carries IPv4 addresses
        "3fff::/20",
    )
)
_EMBEDDED = (IPv6Network("::ffff:0:0/96"), IPv6Network("64:ff9b::/96"))
"""Other spellings of IPv4: mapped, and translated (which is how networks without IPv4 reach it)."""


def is_public(address: IPAddress) -> bool:
    """Whether anybody on the internet may be meant by it."""
    if isinstance(address, IPv4Address):
        return not any(address in network for network in _CLOSED_4)
    for network in _EMBEDDED:
        if address in network:
            return is_public(_within(address))
    return address in _OPEN_6 and not any(address in network for network in _CLOSED_6)


class AllowedHosts(Struct, frozen=True):
    """What the user lets through although it is private."""

    hosts: frozenset[str] = frozenset()
    networks: tuple[IPv4Network | IPv6Network, ...] = ()

    @classmethod
    def of(cls, entries: Iterable[str]) -> AllowedHosts:
        """Read hosts and networks as they stand in the settings."""
        hosts, networks = set(), []
        for entry in entries:
            text = entry.strip().lower().rstrip(".")
            try:
                networks.append(ip_network(text, strict=False))
            except ValueError:
                if not text or "/" in text or ":" in text:
                    step = "Write a host such as wiki.local, or a network such as 10.1.0.0/16."
                    raise ConfigError(f"added.allow: “{entry}” is neither a host nor a network.", step) from None
                hosts.add(text)
        return cls(frozenset(hosts), tuple(networks))

    def allows(self, host: str, address: IPAddress) -> bool:
        """Whether the user said so for this host, or for a network that the address is part of."""
        if host in self.hosts:
            return True
        spellings: list[IPAddress] = [address]
        if isinstance(address, IPv6Address) and any(address in network for network in _EMBEDDED):
            spellings.append(_within(address))
        return any(one in network for one in spellings for network in self.networks if one.version == network.version)


def ip_literal(text: str) -> IPAddress | None:
    """The address a text spells out, without the name of an interface; None when it is none."""
    try:
        return ip_address(text.partition("%")[0])
    except ValueError:
        return None


def _within(address: IPv6Address) -> IPv4Address:
    return IPv4Address(int(address) & 0xFFFFFFFF)
