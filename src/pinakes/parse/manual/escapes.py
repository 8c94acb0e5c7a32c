"""The escapes of roff, and its lines: what a request is called and what it is given.

A line of a manual page enters; plain text, or a name and its arguments, leave. Fonts and sizes say nothing here, so
they go. Every pattern is bounded or swallows what it looked at.
"""

from __future__ import annotations

import re
import unicodedata

_COMMENT = re.compile(r"\\\\|\\[\"#][^\n]*")
_REQUEST = re.compile(r"[.'][ \t]*([^\s\\]{0,20})[ \t]*(.*)\Z", re.DOTALL)
_ARGUMENT = re.compile(r"\"((?:[^\"]|\"\")*+)\"?|((?:\\.|[^ \t])++)", re.DOTALL)
_ESCAPE = re.compile(
    r"\\(?:(?:[fFmMgkY]|s[+-]?|n[+-]?)(?:\[[^\]\n]{0,40}\]|\([^\n]{2}|[^\[\(\n])\d?"
    r"|\*(?:\[([^\]\n]{0,40})\]|\((..)|(.))"
    r"|\[([^\]\n]{0,40})\]|\((..)"
    r"|[hvlLwDXZboNSHxA]'[^'\n]{0,200}'|(.)|\Z)",
    re.DOTALL,
)
_SIGNS = {"e": "\\", "~": " ", "0": " ", "t": "\t", "'": "'", "`": "`", "E": "\\"} | dict.fromkeys(
    "&|^%:/,cduzpra{}!?)", ""
)
_GLYPHS = {
    **{"bu": "•", "em": "—", "en": "–", "hy": "-", "mi": "-", "pl": "+", "mu": "×", "di": "÷", "+-": "±", "eq": "="},
    **{"lq": "“", "rq": "”", "oq": "‘", "cq": "’", "aq": "'", "dq": '"', "Bq": "„", "Fo": "«", "Fc": "»"},
    **{"co": "©", "rg": "®", "tm": "™", "de": "°", "sc": "§", "dg": "†", "dd": "‡", "ss": "ß", "eu": "€", "Eu": "€"},
    **{"->": "→", "<-": "←", "<>": "↔", "ua": "↑", "da": "↓", "<=": "≤", ">=": "≥", "!=": "≠", "~=": "≈", "if": "∞"},
    **{"ti": "~", "ha": "^", "rs": "\\", "sl": "/", "lB": "[", "rB": "]", "lC": "{", "rC": "}", "la": "⟨", "ra": "⟩"},
    **{"bv": "|", "ba": "|", "br": "|", "ul": "_", "sh": "#", "Do": "$", "at": "@", "ga": "`", "aa": "´", "12": "½"},
    **{"14": "¼", "34": "¾", "mc": "µ", "*m": "µ", "AE": "Æ", "ae": "æ", "OE": "Œ", "oe": "œ", "/o": "ø", "/O": "Ø"},
    **{"R": "®", "Tm": "™", "Le": "≤", "Ge": "≥", "Lt": "<", "Gt": ">", "Ba": "|", "Am": "&", "Pm": "±", "Ne": "≠"},
}
_ACCENTS = {"'": "\u0301", "`": "\u0300", ":": "\u0308", "^": "\u0302", "~": "\u0303", ",": "\u0327", "o": "\u030a"}
_UNICODE = re.compile(r"u([0-9A-Fa-f]{4,6})\Z")


def without_comment(line: str) -> str:
    return _COMMENT.sub(lambda found: found[0] if found[0] == "\\\\" else "", line) if "\\" in line else line


def request_of(line: str) -> tuple[str, str] | None:
    """The name of a request and what stands behind it; None for a line of text."""
    found = _REQUEST.match(line)
    return (found[1], found[2]) if found else None


def arguments(written: str) -> list[str]:
    """What a request is given, in plain text."""
    return [
        plain(found[1].replace('""', '"') if found[2] is None else found[2]) for found in _ARGUMENT.finditer(written)
    ]


def plain(text: str) -> str:
    """A text without escapes."""
    return _ESCAPE.sub(_said, text) if "\\" in text else text


def _said(found: re.Match[str]) -> str:
    name = found[1] or found[2] or found[3] or found[4] or found[5]
    if name is not None:
        return _glyph(name.strip())
    sign = found[6] or ""
    return _SIGNS.get(sign, sign)


def _glyph(name: str) -> str:
    if name in _GLYPHS:
        return _GLYPHS[name]
    if code := _UNICODE.match(name):
        number = int(code[1], 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 and number >= 0x20 else ""
    if len(name) == 2 and name[0] in _ACCENTS and name[1].isalpha():
        return unicodedata.normalize("NFC", name[1] + _ACCENTS[name[0]])
    return ""
