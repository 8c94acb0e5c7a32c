"""Text that PostgreSQL refuses: NUL and lone halves of surrogate pairs, as they stand in names that are not UTF-8.

A text enters and another one leaves that PostgreSQL takes, and the other way round (`storable`, `as_it_was`). Texts
sort among each other as before: what stands for a character sorts in its place. `adapt` makes a connection do both with
every text that goes over it.

    U+0000          U+0001 U+0001
    U+0001          U+0001 U+0002
    U+D7FF          U+D7FF U+0001      an unassigned character, the last before the halves
    U+D800…U+DFFF   U+D7FF U+E000…U+E7FF
"""

from __future__ import annotations

import re

from psycopg import Connection
from psycopg.adapt import Buffer, Loader
from psycopg.types.string import StrDumperUnknown

_ODD = re.compile("[\x00\x01\ud7ff-\udfff]")
_KEPT = re.compile("\x01[\x01\x02]|\ud7ff.")
_LOW, _HIGH = "\x01", "\ud7ff"
_SHIFT = 0x800
"""From a half to what stands for it."""


def storable(text: str) -> str:
    """The text as PostgreSQL keeps it."""
    return _ODD.sub(_kept, text) if _ODD.search(text) else text


def as_it_was(text: str) -> str:
    """The text that was kept so."""
    return _KEPT.sub(_was, text) if _LOW in text or _HIGH in text else text


def _kept(found: re.Match[str]) -> str:
    sign = found[0]
    if sign <= _LOW:
        return _LOW + chr(ord(sign) + 1)
    return _HIGH + (_LOW if sign == _HIGH else chr(ord(sign) + _SHIFT))


def _was(found: re.Match[str]) -> str:
    first, second = found[0][0], found[0][1]
    if first == _LOW:
        return chr(ord(second) - 1)
    return _HIGH if second == _LOW else chr(ord(second) - _SHIFT)


class _Dumper(StrDumperUnknown):
    def dump(self, obj: str) -> Buffer | None:
        return storable(obj).encode()


class _TextLoader(Loader):
    def load(self, data: Buffer) -> str:
        return as_it_was(bytes(data).decode())


def adapt(connection: Connection[tuple[object, ...]]) -> None:
    """Let every text that goes over this connection come back as it was."""
    connection.adapters.register_dumper(str, _Dumper)
    connection.adapters.register_loader("text", _TextLoader)
