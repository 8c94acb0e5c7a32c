"""What people write in plain words and mean as more: URLs, file paths, tags, block ids, formulas.

Bytes of a body and positions enter, what was found there leaves. Everything here looks at the text as written, because
that is how these things are recognised: ``https://a.b/c_d_e`` holds no emphasis. Which positions are prose and which
are code, the caller knows. Every search is linear.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import IntEnum
from typing import NamedTuple


class InlineMark(IntEnum):
    """Something that may begin here; worth a closer look only if the place turns out to be prose."""

    WIKILINK = 0
    MAIL = 1
    WWW = 2
    TAG = 3
    BLOCK_ID = 4
    FORMULA = 5
    NAME = 6


class Mention(NamedTuple):
    """A stretch of the body and what it says."""

    start: int
    end: int
    text: str


_BEGINNINGS = bytes(byte in b"/[#@$^" for byte in range(256))
_ENDING = rb"\.(?:md|rst|txt|adoc|org|svg)(?![\w/\x80-\xff(-]|\.\w)"
_DOT = re.compile(rb"\.(?<=www\.)|" + _ENDING)
"""Of a name or of a host: one search for both, by a sign that is rarer than letters."""
_MARKS = (
    ("[", b"[[", InlineMark.WIKILINK, re.compile(rb"\[\[(?!\[)")),
    ("@", b"@", InlineMark.MAIL, re.compile(rb"@(?=[A-Za-z0-9])")),
    ("www.", b"www.", InlineMark.WWW, re.compile(rb"www\.")),
    ("#", b"#", InlineMark.TAG, re.compile(rb"#(?=[\w\x80-\xff])(?<![^\s]#)")),
    ("^", b"^", InlineMark.BLOCK_ID, re.compile(rb"\^(?<![^\s]\^)[A-Za-z0-9-]+[ \t]*(?=[\r\n]|\Z)")),
    ("$", b"$", InlineMark.FORMULA, re.compile(rb"\$(?<!\$\$)")),
    (".", b".", InlineMark.NAME, re.compile(_ENDING)),
)
"""For each sign what words must hold so that it is worth a look, the bytes it begins with, and what stands there."""

_PROTOCOL = re.compile(rb"://(?<=[PpSs]://)")
_ADDRESS = re.compile(rb"(?:https?://|www\.)([\w.\x80-\xff-]+)[^\s<]*", re.IGNORECASE)
_ENTITY_END = re.compile(rb"&[A-Za-z0-9]+;\Z")
_TRAILING = b"?!.,:;*_~'\")]"
_LOCAL = re.compile(rb"[A-Za-z0-9.+_-]+\Z")
_HOST = re.compile(rb"[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+)+")
_LONGEST_LOCAL = 64
_PATH = re.compile(
    rb"(?<![\w/.:@~%=&?#+$\x80-\xff{-])"
    rb"(?:/|\.\.?/)?(?:[\w.\x80-\xff-]+/)+[\w.\x80-\xff-]*\.[A-Za-z][A-Za-z0-9]{0,9}(?![\w/\x80-\xff(-])"
)
_NAME = re.compile(rb"(?<![\w/.:@~%=&?#+$\x80-\xff{-])[\w\x80-\xff][\w.\x80-\xff-]*\Z")
_LONGEST_NAME = 100
_SLASH = re.compile(rb"/\S*")
_CODE_PATH = re.compile(r"(?:/|\.\.?/)?(?:[\w.-]+/)*[\w.-]*\.[A-Za-z][A-Za-z0-9]{0,9}\Z")
_BARE_CODE_PATH = re.compile(r"(?:\.\.?/)*(?:[\w.-]+/)+[\w-]+\Z")
_MEDIA_TYPES = ("application/", "audio/", "font/", "image/", "message/", "model/", "multipart/", "text/", "video/")
"""How a word with a slash begins that names a media type: ``text/html`` is no file."""
BARE_NAMES = frozenset(
    (
        *("AUTHORS", "CHANGELOG", "CODEOWNERS", "CONTRIBUTING", "COPYING", "Caddyfile", "Dockerfile", "Gemfile"),
        *("Jenkinsfile", "Justfile", "LICENCE", "LICENSE", "Makefile", "NOTICE", "Procfile", "README", "Rakefile"),
        "Vagrantfile",
    )
)
"""Files known by a name without an ending."""
_PLAIN_NAME_ENDINGS = frozenset(
    (
        *("adoc", "htm", "html", "ipynb", "markdown", "md", "mdx", "org", "pdf", "rst", "tex", "txt"),
        *(
            "cfg",
            "conf",
            "csv",
            "env",
            "ini",
            "json",
            "jsonc",
            "lock",
            "proto",
            "sql",
            "toml",
            "tsv",
            "xml",
            "yaml",
            "yml",
        ),
        *("gif", "ico", "jpeg", "jpg", "png", "svg", "webp"),
        *(
            "bash",
            "bat",
            "c",
            "cc",
            "cjs",
            "cmake",
            "cpp",
            "cs",
            "css",
            "go",
            "gradle",
            "h",
            "hpp",
            "java",
            "js",
            "jsx",
        ),
        *("kt", "less", "lua", "mjs", "mts", "php", "pl", "ps1", "py", "pyi", "r", "rb", "rs", "sass", "scala", "scss"),
        *("sh", "svelte", "swift", "tf", "ts", "tsx", "vue", "wasm", "zig", "zsh"),
    )
)
"""Endings that make a bare word in code a file: without a folder, ``console.log`` and ``Array.from`` look alike."""
_TAG = re.compile(r"[\w/-]+")
_LONGEST_TAG = 200
_HEX_COLOUR = re.compile(r"(?:[0-9a-fA-F]{3,4}|[0-9a-fA-F]{6}|[0-9a-fA-F]{8})\Z")
_INLINE_FORMULA = re.compile(
    rb"\$(?<![\w$\\]\$)(?![\s$])((?:[^$`\\\r\n]|\\[^\r\n]){1,400})(?<![\s\\=+*/<>,;:-])\$(?![\w$])"
)
_FORMULA_MARK = re.compile(rb"\\[A-Za-z]|[\^_=<>+]|\A\s*[A-Za-z](?:'|\([A-Za-z]\))?\s*\Z")
_PRICE = re.compile(rb"\d[\d.,]*+(?!\d)")
_GROUP = re.compile(rb"\\[A-Za-z]+|\{[^{}]*\}")
_WORD = re.compile(rb"[A-Za-z]{3}")
_BEFORE_BLOCK = b" \t>*+-"
_LONGEST_FORMULA = 2_000
_LONGEST_BLOCK = 20_000


def places(body: bytes) -> bytearray:
    """A byte for each of the body and one for its end: 1 where a sign, a URL or a path may be, 0 elsewhere."""
    noted = bytearray(body).translate(_BEGINNINGS)
    noted.append(1)
    for dot in _DOT.finditer(body):
        noted[dot.start()] = 1
    return noted


def find_inline_marks(words: str, body: bytes, start: int, end: int) -> list[tuple[int, InlineMark]]:
    """Every place between `start` and `end` where something may begin, in order; it may end later.

    `words` is what the engine made of the bytes: what it does not hold, they do not hold either.
    """
    found: list[tuple[int, InlineMark]] = []
    for mark, needle, sign, pattern in _MARKS:
        if mark in words:
            limit = end + len(needle) - 1
            at = body.find(needle, start, limit)
            while at >= 0:
                if pattern.match(body, at):
                    found.append((at, sign))
                at = body.find(needle, at + 1, limit)
    found.sort()
    return found


def urls(body: bytes, start: int, end: int) -> Iterator[Mention]:
    """The bare URLs with a protocol that begin between `start` and `end`; they may end later."""
    reached = start
    for found in _PROTOCOL.finditer(body, start, end):
        at = found.start() - len(b"https" if body[found.start() - 1] in b"sS" else b"http")
        if at >= reached and not (at and body[at - 1 : at].isalpha()):
            place = url(body, at)
            if place is not None:
                reached = place.end
                yield place


def url(body: bytes, start: int) -> Mention | None:
    """The bare URL that begins at `start`, by GitHub's rules for where it ends."""
    found = _ADDRESS.match(body, start)
    if found is None:
        return None
    labels = found[1].rstrip(b".-_").split(b".")
    if not labels[-1] or b"_" in labels[-1] or (len(labels) > 1 and b"_" in labels[-2]):
        return None
    end = _trimmed(body, start, found.end())
    text = body[start:end].decode("utf-8", "replace")
    return Mention(start, end, text)


def _trimmed(body: bytes, start: int, end: int) -> int:
    unmatched = body.count(b")", start, end) - body.count(b"(", start, end)
    while end > start and body[end - 1] in _TRAILING:
        last = body[end - 1]
        if last == 0x29:  # )
            if unmatched <= 0:
                break
            unmatched -= 1
        elif last == 0x3B:  # ;
            entity = _ENTITY_END.search(body, max(start, end - 40), end)
            if entity is not None:
                end = entity.start()
                continue
        end -= 1
    return end


def mail(body: bytes, at_sign: int) -> Mention | None:
    """The mail address around an ``@``."""
    local = _LOCAL.search(body, max(0, at_sign - _LONGEST_LOCAL), at_sign)
    host = _HOST.match(body, at_sign + 1)
    if local is None or host is None:
        return None
    end = host.end()
    if body[end - 1] in b"-_" or body[end : end + 1] == b"@" or body[local.start() - 1 : local.start()] == b"/":
        return None
    return Mention(local.start(), end, body[local.start() : end].decode("ascii"))


def paths(body: bytes, start: int, end: int) -> Iterator[Mention]:
    """Words of prose with a slash and an ending, such as ``src/auth.py``."""
    reached = start
    # Looking for slashes first and for paths only in the words that have one is five times faster.
    for slash in _SLASH.finditer(body, start, end):
        if slash[0].find(b".") > 0:
            word = 1 + max(body.rfind(b" ", reached, slash.start()), reached - 1)
            for found in _PATH.finditer(body, word, slash.end()):
                text = found[0].decode("utf-8", "replace")
                if not text.startswith("www."):
                    yield Mention(found.start(), found.end(), text)
        reached = slash.end()


def name(body: bytes, dot: int) -> Mention | None:
    """The word of prose around the dot before a document's ending, such as ``README.md``."""
    word = _NAME.search(body, max(0, dot - _LONGEST_NAME), dot)
    if word is None:
        return None
    end = dot + 1
    while body[end : end + 1].isalpha():
        end += 1
    return Mention(word.start(), end, body[word.start() : end].decode("utf-8", "replace"))


def is_code_path(code: str) -> bool:
    """Whether a code span is nothing but something that could be a file's path."""
    if "/" not in code:
        stem, _, ending = code.rpartition(".")
        if not stem or ending.lower() not in _PLAIN_NAME_ENDINGS:
            return code in BARE_NAMES
    elif _BARE_CODE_PATH.match(code):
        return not code.startswith(_MEDIA_TYPES)
    return _CODE_PATH.match(code) is not None


def tag(body: bytes, start: int, end: int) -> str:
    """The tag after the ``#`` at `start`; empty when it is a number, a colour or nothing."""
    found = _TAG.match(body[start + 1 : min(end, start + _LONGEST_TAG)].decode("utf-8", "replace"))
    name = found[0].strip("/-") if found else ""
    if not name or name.replace("-", "").replace("/", "").isdigit():
        return ""
    if _HEX_COLOUR.match(name) and (not name.isalpha() or len(set(name.lower())) == 1):
        return ""
    return name


def block_id(body: bytes, start: int) -> Mention:
    """The block id at `start` with its caret, as links to it write it."""
    end = start + 1
    while end < len(body) and (body[end : end + 1].isalnum() or body[end] == 0x2D):
        end += 1
    return Mention(start, end, body[start:end].decode("ascii", "replace"))


def formula_end(body: bytes, start: int) -> int:
    """Where the formula ends that begins at the dollar sign at `start`; 0 for a price, a variable or a shell prompt."""
    if body.startswith(b"$$", start):
        return _display_end(body, start)
    if body.startswith(b"$`", start):
        close = body.find(b"`$", start + 2, start + _LONGEST_FORMULA)
        return close + 2 if close > 0 else 0
    found = _INLINE_FORMULA.match(body, start)
    if found is None or _FORMULA_MARK.search(found[1]) is None:
        return 0
    # What begins with a number and goes on in words is a sum of money and another one later.
    is_money = _PRICE.match(found[1]) and _WORD.search(_GROUP.sub(b"", found[1]))
    return 0 if is_money else found.end()


def _display_end(body: bytes, start: int) -> int:
    """Where the formula behind ``$$`` ends: alone on its line always, before other signs if they are a formula's."""
    line = body.rfind(b"\n", max(0, start - _LONGEST_LOCAL), start) + 1
    begins_line = not body[line:start].strip(_BEFORE_BLOCK)
    end = body.find(b"$$", start + 2, start + (_LONGEST_BLOCK if begins_line else _LONGEST_FORMULA))
    inside = body[start + 2 : end] if end > 0 else b""
    if not inside.strip():
        return 0
    is_alone = begins_line and not inside.partition(b"\n")[0].strip()
    is_formula = is_alone or (b"\n\n" not in inside and _FORMULA_MARK.search(inside) is not None)
    return end + 2 if is_formula else 0
