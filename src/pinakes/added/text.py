"""Documents from anywhere become the text that is kept.

The path of a local file, or bytes as found with their type, enter; the text to be indexed and its title leave. Markdown
and plain text are kept byte for byte, unless a server named another character set; of a web page the readable part is
kept. Whoever names a file may read it; but a folder, a device or a pipe is no document, and nothing here waits for one.
"""

from __future__ import annotations

import codecs
import os
import re
import stat
from html import escape

from msgspec import Struct
from msgspec.structs import replace

from pinakes.conversion import convert
from pinakes.errors import ExtraMissing, NotFound, Unfit
from pinakes.parse import parse
from pinakes.parse.charset import codec_named
from pinakes.records import ADDED, Media, Raw, Ref, Stamp, formats, possible_media_of
from pinakes.records.added import TextType
from pinakes.records.made_text import MadeText

MOST_BYTES = 10_000_000
LONGEST_TITLE = 100
_PAGES = (".html", ".htm", ".xhtml")
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    # Those of UTF-32 first: the little-endian one begins with that of UTF-16.
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_WIDE = tuple(mark for mark, codec in _MARKS if codec != "utf-8")
_MAGIC = (b"%PDF-", b"\x89PNG", b"PK\x03\x04", b"\x1f\x8b", b"GIF8", b"\xff\xd8\xff", b"\x7fELF")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_LOOKED_AT = 1 << 16
_META = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_:.-]{1,40})", re.IGNORECASE)
_META_WITHIN = 2_048
_WITHOUT_WAITING = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)


class Original(Struct, frozen=True):
    """A document as it was found."""

    name: str
    """What was given, for sentences."""
    data: bytes
    type: TextType
    charset: str = ""
    base: str = ""
    """What links of a web page are relative to."""


class ReadableText(Struct, frozen=True):
    """A document as it is kept."""

    text: bytes
    title: str


def type_of(name: str, data: bytes = b"") -> TextType:
    """What is kept of a file or the path of a URL, by its ending and, where that says too little, by its content."""
    if name.lower().endswith(_PAGES):
        return TextType.HTML
    return TextType.MARKDOWN if _format(name, data).is_markdown else TextType.TEXT


def readable(original: Original) -> ReadableText:
    """The text to keep and its title; raises `Unfit` for what is empty, binary or too large."""
    _refuse_unfit(original)
    page_title = ""
    if made := _converted(original):
        text, page_title = made.text.encode("utf-8", "replace"), made.title
    else:
        text = _decoded(original).encode("utf-8", "replace") if original.charset else original.data
        text = _made(original, text)
    media = formats.TEXT if original.type is TextType.TEXT else formats.MARKDOWN
    document = parse(Raw(Stamp(Ref(ADDED, "document"), "", media), text, ""))
    body = document.source[document.body :].decode("utf-8", "replace").lstrip("\ufeff")
    if not body.strip():
        raise Unfit(f"{original.name} holds no text.", "Give a document with something in it.")
    if len(text) > MOST_BYTES:
        raise too_large(original.name)
    heading = next((section.title for section in document.sections if section.level == 1), "")
    first = heading if media.has_title else ""
    title = document.metadata.title or first or page_title or _first_line(body)
    if page_title and not first:
        text = f"# {_one_line(page_title)}\n\n".encode("utf-8", "replace") + text
    return ReadableText(text, shortened(title))


def _converted(original: Original) -> MadeText | None:
    """What the converter of its format makes of it; None for what is text itself. Raises `Unfit` when it cannot, and
    `ExtraMissing` without its package."""
    media = _format(original.name, original.data)
    if original.type is TextType.HTML:
        media, data = formats.HTML, _decoded(original).encode("utf-8", "replace")
    elif media.converter and original.type is type_of(original.name, original.data):
        data = original.data
    else:
        return None
    if not media.is_available:
        raise ExtraMissing(
            f"{original.name} is {media.name.upper()}, and the package that converts it is not installed.",
            f"pip install 'pinakes[{media.extra}]'",
        )
    made = convert(media.converter, data, original.name, base=original.base)
    if not made.is_addressed:
        return made
    name = original.name.partition("?")[0].replace("\\", "/").rstrip("/").rpartition("/")[2]
    return replace(made, text=_with_ids(made), title=made.title or name)


def _with_ids(made: MadeText) -> str:
    """The text with its addresses in the original as ids of its headings, because it is kept as text alone."""
    lines = made.text.split("\n")
    for line, name in made.places:
        lines[line] += f' <a id="{escape(name)}"></a>'
    return "\n".join(lines)


def _made(original: Original, data: bytes) -> bytes:
    """The text that is made of a file of another format; the bytes of what is text itself, or is wanted as it is."""
    media = _format(original.name, data)
    if not media.is_converted or original.type is not type_of(original.name, data):
        return data
    return parse(Raw(Stamp(Ref(ADDED, "document"), "", media), data, "")).source


def _format(name: str, data: bytes) -> Media:
    media = possible_media_of(name.partition("?")[0].rpartition("/")[2])
    return media if media.is_told_by(data) else formats.ASSET


def shortened(title: str) -> str:
    """A title on one line, cut where it is too long."""
    return _one_line(title)[:LONGEST_TITLE].rstrip()


def too_large(name: str) -> Unfit:
    return Unfit(f"{name} is larger than {MOST_BYTES:,} bytes.", "Add the part that matters.")


def _refuse_unfit(original: Original) -> None:
    data, name = original.data, original.name
    is_converted = bool(_format(name, data).converter) and original.type is not TextType.TEXT
    if len(data) > MOST_BYTES:
        raise too_large(name)
    if not data.strip():
        raise Unfit(f"{name} is empty.", "Give a document with something in it.")
    head = data[:_LOOKED_AT]
    is_wide = data.startswith(_WIDE) or original.charset.lower().replace("_", "-").startswith(("utf-16", "utf-32"))
    is_strange = b"\0" in data or len(_CONTROL.findall(head)) * 20 > len(head)
    if not is_converted and (data.startswith(_MAGIC) or (is_strange and not is_wide)):
        raise Unfit(
            f"{name} is binary, not text.",
            formats.how_to_convert(name) or "docs/formats.md lists what can be added.",
        )


def _decoded(original: Original) -> str:
    """The text, by its mark, by what the server or the page itself says, else as UTF-8 or the web's old default."""
    data = original.data
    for mark, codec in (
        (codecs.BOM_UTF8, "utf-8"),
        *((wide, "utf-32" if len(wide) == 4 else "utf-16") for wide in _WIDE),
    ):
        if data.startswith(mark):
            return data.decode(codec, "replace").lstrip("\ufeff")
    said = original.charset
    if not said and original.type is TextType.HTML and (found := _META.search(data[:_META_WITHIN])):
        said = found[1].decode("ascii")
    name = codec_named(said) if said else ""
    try:
        # By the rules of the web, Latin-1 and ASCII mean what Windows made of them.
        if name:
            return data.decode("cp1252" if name in ("iso8859-1", "ascii") else name, "replace")
        return data.decode("utf-8", "replace" if said else "strict")
    except (LookupError, UnicodeError, ValueError):
        return data.decode("cp1252" if not said else "utf-8", "replace")


def _first_line(body: str) -> str:
    return next((line.strip() for line in body.splitlines() if line.strip()), "")


def _one_line(text: str) -> str:
    return " ".join(text.split())


def read_local_file(path: str, name: str) -> bytes:
    """The file's bytes; raises `NotFound` when there is none and `Unfit` when it is no readable file."""
    try:
        if "\0" in path:
            raise NotFound(f"{name!r} is not a path.", "Check its name.")
        # A pipe, a device or a socket is not even opened: opening can already do something.
        if not stat.S_ISREG(os.stat(path).st_mode):
            kind = "a folder" if os.path.isdir(path) else "no plain file"
            raise Unfit(f"{name} is {kind}.", "Name a single file.")
        descriptor = os.open(path, _WITHOUT_WAITING)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
                raise Unfit(f"{name} is no plain file.", "Name a single file.")
            data = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFound(f"There is no file {name}.", "Check its name.") from None
    except OSError as error:
        raise Unfit(f"{name} cannot be read: {error.strerror}.", "Check its name and permissions.") from None
    if len(data) > MOST_BYTES:
        raise too_large(name)
    return data
