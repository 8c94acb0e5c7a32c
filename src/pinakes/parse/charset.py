"""Which character set a text without a mark is in that is not UTF-8.

Bytes as found enter; the name of a codec leaves, or nothing where the bytes are no text of one. What the file says of
itself counts first (`coding:` in its first two lines, the declaration of XML or of a web page), then whether nearly all
of it is UTF-8 after all, then how the zeros of UTF-16 lie, then `charset_normalizer`. That one knows scripts well and
tells the character sets of Western and Central Europe apart badly, because it does not look at the language; for these
the small words of the language decide, which are the same in all of them.
"""

from __future__ import annotations

import codecs
import re

from pinakes.parse.language import language_of_text

_DECLARED = re.compile(
    rb"\A[^\r\n]{0,200}(?:(?:\r\n|\r|\n)[^\r\n]{0,200})?\b(?:file)?(?:en)?coding[:=]\s*([\w.-]{2,40})"
    rb"|\A\s{0,20}<\?xml\s[^<>]{0,200}?\bencoding\s*=\s*[\"']([\w.-]{2,40})",
)
_META = re.compile(rb"<meta\s[^<>]{0,300}?charset\s*=\s*[\"']?\s*([\w:.-]{2,40})", re.IGNORECASE)
_META_WITHIN = 4_096
_SAMPLE = 16_000
_LOOKED_THROUGH = 1_000_000
"""Bytes among which lines for the sample are looked for."""
_HIGH_LINE = re.compile(rb"[^\r\n\x80-\xff]{0,2000}[\x80-\xff][^\r\n]{0,2000}")
_HIGH = re.compile(rb"[\x80-\xff]")
_CONTROL = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_JAPANESE = re.compile(rb"\x1b\$[@B][!-~]{2}")
_FEWEST = 4
"""Bytes beyond ASCII from which more than the language can be told."""
_WESTERN = "cp1252"
_CENTRAL = frozenset(("pl", "cs", "hu", "ro"))
_CANDIDATES = (
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1255", "cp1256", "cp1257", "cp874", "koi8_r", "cp866"),
    *("iso8859_2", "iso8859_5", "iso8859_7", "mac_roman", "cp850"),
    *("cp932", "euc_jp", "gb18030", "big5", "cp949"),
)
_NO_CHARSETS = frozenset(
    ("punycode", "idna", "unicode-escape", "raw-unicode-escape", "utf-7", "undefined", "charmap", "mbcs", "oem")
)
"""Codecs that are ways to write names and letters in ASCII, or mean something else on each machine. No document is in
one; some would make another text of it, or take the square of its length."""
_LATIN = frozenset(("cp1252", "cp1250", "cp1254", "cp1257", "iso8859_2", "iso8859_15", "latin_1"))
_TOLD_APART = re.compile(rb"[\x80-\x9f]")
"""Letters in the sets of Windows, and control characters in those of ISO."""
_NAMES = {
    **{"cp1252": "Windows-1252", "cp1250": "Windows-1250", "cp1251": "Windows-1251", "cp1253": "Windows-1253"},
    **{"cp1254": "Windows-1254", "cp1255": "Windows-1255", "cp1256": "Windows-1256", "cp1257": "Windows-1257"},
    **{"cp932": "Shift-JIS", "shift_jis": "Shift-JIS", "euc_jp": "EUC-JP", "iso2022_jp": "ISO-2022-JP"},
    **{"gb18030": "GB 18030", "big5": "Big5", "cp949": "EUC-KR", "koi8_r": "KOI8-R", "mac_roman": "Mac Roman"},
    **{"utf-16-le": "UTF-16", "utf-16-be": "UTF-16", "utf-32-le": "UTF-32", "utf-32-be": "UTF-32"},
}


def charset_of(data: bytes, stated: str = "") -> str:
    """The codec that reads bytes which are not UTF-8; empty for what no codec makes text of. `stated` is what somebody
    who handed the file over said, such as a server."""
    if codec := _declared(data, stated):
        return codec
    if b"\x1b$" in data and _JAPANESE.search(data) and _decodes(data, "iso2022_jp"):
        return "iso2022_jp"
    if data.isascii() and b"\0" not in data:
        return ""
    sample = _sample(data)
    if codec := _wide(data):
        return codec
    if len(_CONTROL.findall(sample)) * 20 > len(sample) or b"\0" in data[:_LOOKED_THROUGH] or _is_damaged(data):
        return ""
    return _told(sample)


def name_of_charset(codec: str) -> str:
    """A codec as people call it."""
    return _NAMES.get(codec, codec.replace("_", "-").upper().replace("ISO8859", "ISO-8859"))


def codec_named(charset: str) -> str:
    """The codec of a character set that somebody names; nothing for none."""
    try:
        name = codecs.lookup(charset).name
    except (LookupError, ValueError):
        return ""
    return "" if name.replace("_", "-") in _NO_CHARSETS else name


def _declared(data: bytes, stated: str) -> str:
    head = data[:_META_WITHIN]
    found = _DECLARED.search(head)
    said = stated or (found and (found[1] or found[2]).decode("ascii", "replace")) or ""
    if not said and b"<" in head and (meta := _META.search(head)):
        said = meta[1].decode("ascii", "replace")
    name = codec_named(said) if said else ""
    if name in ("iso8859-1", "ascii"):  # by the rules of the web these mean what Windows made of them
        return _WESTERN
    is_text = name not in ("", "utf-8") and _decodes(data[:_SAMPLE], name)
    return name if is_text else ""


def _decodes(data: bytes, codec: str) -> bool:
    """Whether a codec of text reads these bytes without an error but at their end."""
    try:
        decoder = codecs.getincrementaldecoder(codec)()
        return isinstance(decoder.decode(data), str)
    except (LookupError, UnicodeError, TypeError, ValueError):
        return False


def _wide(data: bytes) -> str:
    """UTF-16 without its mark: spaces, line ends and Latin letters have a zero on one side, no sign on the other."""
    head = data[:_SAMPLE]
    if len(data) % 2 or len(head) < 8:
        return ""
    low, high = head[1::2].count(0), head[0::2].count(0)
    codec = "utf-16-le" if low > high else "utf-16-be"
    is_sparse = max(low, high) * 20 < len(head) // 2 or min(low, high) * 50 > max(low, high)
    if is_sparse or not _decodes(head, codec):
        return ""
    text = head.decode(codec, "ignore")
    return codec if sum(map(str.isalnum, text)) * 2 >= len(text) else ""


def _is_damaged(data: bytes) -> bool:
    """Whether it is UTF-8 with a few bytes that are not."""
    text = data[:_LOOKED_THROUGH].decode("utf-8", "replace")
    lost = text.count("\ufffd")
    return lost * 4 <= sum(map(str.isalpha, re.findall(r"[^\x00-\x7f\ufffd]", text)))


def _sample(data: bytes) -> bytes:
    """Lines that are not ASCII, from the beginning on."""
    parts, size = [], 0
    for line in _HIGH_LINE.finditer(data, 0, _LOOKED_THROUGH):
        parts.append(line[0])
        size += len(parts[-1]) + 1
        if size >= _SAMPLE:
            break
    return b"\n".join(parts)


def _told(sample: bytes) -> str:
    high = len(_HIGH.findall(sample))
    if high < _FEWEST:
        return _WESTERN
    from charset_normalizer import from_bytes

    best = from_bytes(sample, cp_isolation=list(_CANDIDATES)).best()
    if best is None:
        return ""
    if best.encoding not in _LATIN:
        return best.encoding
    language = language_of_text(sample.decode("ascii", "ignore"))
    if language in _CENTRAL or (not language and best.encoding in ("cp1250", "iso8859_2") and _is_central(sample)):
        return "cp1250" if _TOLD_APART.search(sample) else "iso8859_2"
    return "cp1254" if language == "tr" or _is_turkish(sample) else _WESTERN


def _is_central(sample: bytes) -> bool:
    """Whether letters of Polish, Czech or Hungarian turn up that Western text has signs for."""
    return bool(re.search(rb"[A-Za-z][\xb3\xb9\xb6\xbf\xbe\xbb\x9c\x9d\x9f\x8d][A-Za-z]", sample))


def _is_turkish(sample: bytes) -> bool:
    """Whether letters turn up that would be Icelandic in Western text, without those that Icelandic has more often."""
    return all(letter in sample for letter in (b"\xf0", b"\xfd", b"\xfe")) and not re.search(rb"[\xe1\xe6]", sample)
