"""Files that are ZIP archives with documents in them: EPUB, OpenDocument, Office Open XML.

Bytes enter; an archive that may be unpacked leaves. What an archive says of its sizes is believed only downwards:
`zipfile` never gives more of a member than it was said to hold.
"""

from __future__ import annotations

import io
import zipfile
import zlib

from pinakes.errors import Unfit

MOST_UNPACKED = 200_000_000
"""Bytes that all members may hold together."""
_MOST_MEMBERS = 10_000
_OLD_OR_LOCKED = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
BROKEN = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, ValueError, OSError)
"""What reading a member of a damaged archive raises."""


def opened(data: bytes) -> zipfile.ZipFile:
    """The archive; raises `Unfit` for what is none, is locked, or would become too large."""
    if data.startswith(_OLD_OR_LOCKED):
        raise Unfit("is locked with a password, or of an older format.", "Save it anew, without a password.")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = archive.infolist()
    except BROKEN:
        raise Unfit("is damaged: it is no complete archive.", "Get it again.") from None
    if any(member.flag_bits & 1 for member in members):
        raise Unfit("is locked with a password.", "Save it without one.")
    if len(members) > _MOST_MEMBERS or sum(member.file_size for member in members) > MOST_UNPACKED:
        raise Unfit(
            f"would unpack to more than {_MOST_MEMBERS:,} files, or {MOST_UNPACKED:,} bytes.",
            "Take in its text instead.",
        )
    return archive


def member(archive: zipfile.ZipFile, name: str) -> bytes:
    """The bytes of one member; nothing for one that is not there. Raises `Unfit` for a damaged one."""
    try:
        return archive.read(name)
    except KeyError:
        return b""
    except BROKEN:
        raise Unfit("is damaged: a part of it cannot be unpacked.", "Get it again.") from None
