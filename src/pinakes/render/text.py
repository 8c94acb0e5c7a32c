"""Text for eyes: nothing a document says may steer the terminal.

Untrusted strings enter, printable ones leave. Knows no record: what to print is the caller's choice.
"""

from __future__ import annotations

import re

# Scripts whose letters join, where a non-joiner or a joiner is as much spelling as any letter; and signs that emoji are
# joined from.
_JOINING = "\u0600-\u08ff\u0900-\u109f\u1780-\u17b3\u17b6-\u17ff\u1800-\u180a\u1810-\u18af\ua840-\uabff"
_EMOJI = "\u2190-\u2bff\ufe0f\U0001f000-\U0001faff"
UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f"  # C0 and C1: the beginnings of ANSI and OSC sequences, bells, carriage returns
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\uffa0"  # soft hyphen, fillers, Mongolian selectors
    "\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff0-\ufffb"  # zero width, bidirectional, line ends, marks
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"  # controls of shorthand and of music
    "\ud800-\udfff\U000e0000-\U000e0fff\ufe00-\ufe0d]"  # half characters, tags and selectors that can hide a message
    f"|(?<![{_JOINING}])\u200c|\u200c(?![{_JOINING}])"
    f"|(?<![{_JOINING}{_EMOJI}])\u200d|\u200d(?![{_JOINING}{_EMOJI}])"
    "|(?<=[\\sA-Za-z\ufe00-\ufe0f])[\ufe0e\ufe0f]"  # those two choose between text and emoji, and mean nothing there
)
"""What nobody sees or what steers a terminal."""
_SEEN_BY_PYTHON = (
    *(b"\xcd\x8f", b"\xe1\x85", b"\xe1\x9e", b"\xe1\xa0", b"\xe3\x85", b"\xef\xb8", b"\xef\xbe"),
    b"\xf3\xa0",
)
"""How the characters of `UNSEEN` begin in UTF-8 that Python calls printable."""


def is_plain(text: str) -> bool:
    """Whether a text surely holds nothing unseen; where it does not say so, `UNSEEN` tells, which takes ten times as
    long."""
    if not text.isprintable():
        return False
    data = text.encode()
    return not any(map(data.__contains__, _SEEN_BY_PYTHON))


def safe(text: str, *, keep: str = "") -> str:
    """`text` with everything invisible or steering spelled out, such as ``\\x1b`` or ``\\u202e``.

    Characters in `keep` stay; when ``\\n`` is one of them and ``\\r`` is not, every kind of line end becomes ``\\n``.
    """
    if is_plain(text):
        return text
    if "\n" in keep and "\r" not in keep:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return UNSEEN.sub(lambda found: found[0] if found[0] in keep else _spelled(found[0]), text)


def unspelled(text: str) -> str:
    """`text` as it was before `safe` spelled it out; nothing else that is written so is changed."""
    return _SPELLED.sub(_read_back, text) if "\\" in text else text


_SPELLED = re.compile(r"\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|U000[0-9a-f]{5}|U0010[0-9a-f]{4})")


def _read_back(found: re.Match[str]) -> str:
    character = chr(int(found[0][2:], 16))
    return character if UNSEEN.fullmatch(character) else found[0]


def one_line(text: str, longest: int = 0) -> str:
    """`text` on one line without anything invisible, cut to `longest` characters with ``…`` (0: never cut).

    Dropped and not spelled out, because this goes to models, which pay for every character.
    """
    if not text.isprintable() or "  " in text or not (text.isascii() or UNSEEN.search(text) is None):
        text = UNSEEN.sub("", " ".join(text.split()))
    text = text.strip()
    return text if not longest or len(text) <= longest else text[: longest - 1].rstrip() + "…"


def _spelled(character: str) -> str:
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def duration(seconds: float) -> str:
    """A time in its largest unit, rounded up."""
    for unit, size in (("hour", 3600), ("minute", 60)):
        if seconds > size:
            return f"{-(-seconds // size):.0f} {unit}s"
    return "a minute"
