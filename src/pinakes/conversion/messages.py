"""What we and the process that converts say to each other.

MessagePack of these records and nothing else: the answer comes from a process that a hostile file may have taken over,
so it is never unpickled.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.msgpack import Decoder, Encoder

from pinakes.records.made_text import MadeText


class ConversionRequest(Struct, frozen=True):
    """One file to convert."""

    converter: str
    """Module and function: takes the bytes, the name and the base, and gives a `MadeText`."""
    data: bytes
    name: str
    base: str = ""
    """The address that links in it are relative to; empty for a file in a folder."""
    seconds: float = 20.0
    """Of computing, after which the process is ended."""


class ConversionAnswer(Struct, frozen=True):
    """What became of it."""

    made: MadeText = MadeText("")
    problem: str = ""
    """Why there is no text, as the end of a sentence that begins with the name of the file."""
    next_step: str = ""


encode = Encoder().encode
request_of = Decoder(ConversionRequest).decode
answer_of = Decoder(ConversionAnswer).decode
