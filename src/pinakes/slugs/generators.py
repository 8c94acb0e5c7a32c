"""Anchors as generators of sites make them.

The headings of one document enter, in reading order, and the name of a rule; the id that the generator writes for each
leaves. Each rule is what its generator does, oddities included: `tests/sites/heading_ids.json` holds what the
generators themselves gave. Which site a document belongs to is not known here.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from html import unescape
from types import MappingProxyType
from typing import NamedTuple

from pinakes.slugs.github import Slugger


class Heading(NamedTuple):
    """A heading as generators see it."""

    title: str
    """Its text without markup and without an explicit id."""
    source: str
    """Its line without the signs that make it a heading, markup included, without an explicit id."""
    explicit: str = ""
    """The id that its author chose, as in ``## Title {#id}``."""


IdRule = Callable[[Sequence[Heading]], list[str]]

_NOT_WORD = re.compile(r"[^\w\s-]")
_HYPHENS_AND_SPACES = re.compile(r"[-\s]+")
_LONGEST = 2_000
"""Of what a heading is longer, nobody links to; some patterns need time by the square of it."""
_TAG = re.compile(r"<[^>]*>")
_CODE = re.compile(r"(`+)(.+?)\1")
_ADDRESS = re.compile(r"<([A-Za-z][A-Za-z0-9+.-]+:[^<>\s]*)>")
_DASH = re.compile(r"-{2,3}")
_LINKED = re.compile(r"!?\[([^\[\]]*)\]\([^()]*\)")
_ENTITY = re.compile(r"&\w+;")
_EMOJI_NAME = re.compile(r"(?<!\S):[a-z0-9_+-]+:(?!\S)")
_NUMBERED = re.compile(r"(.*)_([0-9]+)\Z")
_VITEPRESS_SPECIAL = re.compile(r"[\s~`!@#$%^&*()\-_+=\[\]{}|\\;:\"'“”‘’<>,.?/]+")
_VITEPRESS_DROPPED = re.compile(r"[\u0000-\u001f\u0300-\u036f]")
_NOT_SPHINX = re.compile(r"[^a-z0-9]+")
_SPHINX_ENDS = re.compile(r"^[-0-9]+|-+$")
_SPHINX_LETTERS = str.maketrans(
    {
        **dict(zip("øđħıłŧƀƃƈƌƒƙƚƞƥƫƭƴƶǥȥȴȵȶȷȼȿɀɇɉɋɍɏ", "odhiltbbcdfklnpttyzgzlntjcszejqry", strict=True)),
        **{"ß": "sz", "æ": "ae", "œ": "oe", "ȸ": "db", "ȹ": "qp"},
    }
)
"""Letters that docutils knows by hand; all others lose their accents, or are lost."""


def site_ids(rule: str, headings: Sequence[Heading]) -> list[str]:
    """The id of each heading of a document by one of `RULES`; empty where the generator gives none."""
    short = [heading if len(heading.title) + len(heading.source) <= _LONGEST else _cut(heading) for heading in headings]
    return RULES[rule](short)


def _cut(heading: Heading) -> Heading:
    return Heading(heading.title[:_LONGEST], heading.title[:_LONGEST], heading.explicit)


def _ascii(text: str) -> str:
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode()


def _toc(slug: Callable[[str], str]) -> IdRule:
    """Python-Markdown's table of contents: ids that authors chose come first, and repeats are numbered ``_1``."""

    def ids(headings: Sequence[Heading]) -> list[str]:
        taken = {heading.explicit: heading.explicit for heading in headings if heading.explicit}
        return [heading.explicit or _underscored(slug(_with_trimmed_code(heading)), taken) for heading in headings]

    return ids


def _with_trimmed_code(heading: Heading) -> str:
    """The text of a heading without the spaces at the ends of its code, of which CommonMark keeps those on one side."""
    text = heading.title
    for code in _CODE.finditer(heading.source) if "`" in heading.source else ():
        if code[2] != code[2].strip():
            text = text.replace(code[2], code[2].strip(), 1)
    return text


def _underscored(first: str, taken: dict[str, str]) -> str:
    """The next id in the row that begins here; `taken` knows how far each row was walked, so that none is twice."""
    found = taken.get(first, first)
    while found in taken or not found:
        numbered = _NUMBERED.match(found)
        found = f"{numbered[1]}_{int(numbered[2]) + 1}" if numbered else f"{found}_1"
    taken[first] = taken[found] = found
    return found


def _python_markdown(text: str) -> str:
    return _python_markdown_unicode(_ascii(text))


def _python_markdown_unicode(text: str) -> str:
    return _HYPHENS_AND_SPACES.sub("-", _NOT_WORD.sub("", text).strip().lower())


def _pymdownx(text: str) -> str:
    """Spaces around what is dropped each become a hyphen, as on GitHub."""
    plain = _TAG.sub("", unicodedata.normalize("NFC", " ".join(text.split())))
    return _NOT_WORD.sub("", plain.strip()).replace(" ", "-")


def _pymdownx_lower(text: str) -> str:
    return _pymdownx(text.lower())


def _hugo(slug: Callable[[str], str]) -> IdRule:
    """Hugo's ids; its typographer has made dashes of two and three hyphens before."""

    def ids(headings: Sequence[Heading]) -> list[str]:
        taken: dict[str, int] = {}
        made = []
        for heading in headings:
            text = _set_in_type(heading)
            found = heading.explicit or (text and (slug(text) or "heading"))
            made.append(_hyphened(found, taken) if found else "")
        return made

    return ids


def _set_in_type(heading: Heading) -> str:
    """The text of a heading with dashes, which no code has, with what pictures in it are called, without bare
    addresses. A heading of nothing else gets no id."""
    text = _with_captions(heading)
    for address in _ADDRESS.findall(heading.source) if "<" in heading.source else ():
        text = text.replace(address, "", 1)
    if "--" not in text:
        return text
    for code in _CODE.finditer(heading.source):
        text = text.replace(code[2].strip(), code[2].strip().replace("-", "\0"), 1)
    return _DASH.sub("–", text).replace("\0", "-")


def _with_captions(heading: Heading) -> str:
    """The text of a heading with the descriptions of its pictures; markup around them does not change an id."""
    if "![" not in heading.source:
        return heading.title
    return _LINKED.sub(r"\1", heading.source)


def _hyphened(first: str, taken: dict[str, int]) -> str:
    """The id, or the id with the first number that is free; `taken` knows how far each was counted."""
    found, count = first, taken.get(first, 0)
    while found in taken:
        count += 1
        found = f"{first}-{count}"
    taken[first] = count
    taken.setdefault(found, 0)
    return found


def _hugo_github(text: str) -> str:
    # Some letters become two in lower case; the second is an accent.
    kept = [sign for sign in text.strip() if sign in "- " or _is_word(sign)]
    return "".join(["-" if sign in "- " else sign.lower()[0] for sign in kept])


def _hugo_ascii(text: str) -> str:
    plain = "".join([sign for sign in unicodedata.normalize("NFD", text.strip()) if sign.isascii()])
    return "".join(["-" if sign in "- " else sign.lower() for sign in plain if sign in "- _" or sign.isalnum()])


def _hugo_blackfriday(text: str) -> str:
    words = re.split(r"-+", "".join([sign.lower()[0] if _is_letter(sign) else "-" for sign in text]))
    return "-".join([word for word in words if word])


def _is_word(sign: str) -> bool:
    return sign == "_" or unicodedata.category(sign)[0] == "L" or unicodedata.category(sign) == "Nd"


def _is_letter(sign: str) -> bool:
    return unicodedata.category(sign)[0] in "LN"


def _docusaurus(headings: Sequence[Heading]) -> list[str]:
    """As GitHub, with the descriptions of pictures; ids that authors chose are not counted among the repeats."""
    slugger = Slugger()
    return [heading.explicit or slugger.slug(_with_captions(heading) or heading.source) for heading in headings]


def _vitepress(headings: Sequence[Heading]) -> list[str]:
    taken: dict[str, int] = {}
    return [_hyphened(heading.explicit or _vitepress_slug(_with_entities(heading)), taken) for heading in headings]


def _with_entities(heading: Heading) -> str:
    """The text of a heading with entities as written, and without names of emoji, which are pictures by then."""
    text = heading.title
    for entity in _ENTITY.findall(heading.source) if "&" in heading.source else ():
        text = text.replace(unescape(entity), entity, 1)
    return _EMOJI_NAME.sub("", text) if ":" in text else text


def _vitepress_slug(text: str) -> str:
    plain = _VITEPRESS_DROPPED.sub("", unicodedata.normalize("NFKD", text))
    found = re.sub(r"-{2,}", "-", _VITEPRESS_SPECIAL.sub("-", plain)).strip("-")
    return (f"_{found}" if found[:1].isascii() and found[:1].isdigit() else found).lower()


def _sphinx(headings: Sequence[Heading]) -> list[str]:
    """docutils' ids. A repeat, or a title without a Latin letter, is called ``id1``, ``id2``, … by its place among
    such. An id in braces is part of the title there."""
    taken: set[str] = set()
    made: list[str] = []
    count = 0
    for heading in headings:
        found = _docutils(f"{heading.title} {heading.explicit}")
        while not found or found in taken:
            count += 1
            found = f"id{count}"
        taken.add(found)
        made.append(found)
    return made


def _docutils(text: str) -> str:
    plain = _ascii(text.lower().translate(_SPHINX_LETTERS))
    return _SPHINX_ENDS.sub("", _NOT_SPHINX.sub("-", " ".join(plain.split())))


RULES: Mapping[str, IdRule] = MappingProxyType(
    {
        "mkdocs": _toc(_python_markdown),
        "mkdocs-unicode": _toc(_python_markdown_unicode),
        "pymdownx-lower": _toc(_pymdownx_lower),
        "pymdownx-cased": _toc(_pymdownx),
        "hugo": _hugo(_hugo_github),
        "hugo-ascii": _hugo(_hugo_ascii),
        "hugo-blackfriday": _hugo(_hugo_blackfriday),
        "docusaurus": _docusaurus,
        "vitepress": _vitepress,
        "sphinx": _sphinx,
    }
)
"""Each rule by its name; some generators have several to choose from."""
