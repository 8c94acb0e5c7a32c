"""Markup made from a document, without anything that could act.

HTML of unknown intent enters, HTML of a short list of elements leaves. Addresses and names that we made ourselves pass
under a seal: a random word that no document can know. Every other address is looked up by the caller or dropped, and
every other id, class and style is dropped.
"""

from __future__ import annotations

import re
import secrets
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from html import unescape

import nh3

from pinakes.html.markup import Attribute, Markup, tag, text

TAGS = frozenset(
    """a abbr b blockquote br caption cite code dd del details dfn div dl dt em figcaption figure h1 h2 h3 h4 h5 h6 hr i
    img ins kbd li mark ol p pre q s samp small span strong sub summary sup table tbody td tfoot th thead tr u ul
    var""".split()  # noqa: SIM905 - fifty words in a list would fill the screen
)
GONE = frozenset(
    """script style title iframe frame frameset object embed applet noscript noembed noframes template svg math
    textarea select option audio video canvas xmp plaintext form button""".split()  # noqa: SIM905
)
"""Elements that go with all that is in them: their inside is no prose."""
_SEAL = "data-k"
ATTRIBUTES = {
    "*": {_SEAL},
    "a": {"href", "title"},
    "abbr": {"title"},
    "details": {"open"},
    "img": {"src", "alt", "title", "width", "height"},
    "ol": {"start"},
    "td": {"colspan", "rowspan"},
    "th": {"colspan", "rowspan", "scope"},
}
_NUMBERS = frozenset(("width", "height", "start", "colspan", "rowspan"))
_NUMBER = re.compile(r"[0-9]{1,4}\Z")

_MOST_SEALED = 20_000
"""Addresses and blocks of one document; drawing so many takes a second."""
DEEPEST = 256
"""Elements open at once. The cleaner walks them by recursion, and some thousands would end the process."""
_TAG = re.compile(r"<(/?)([a-zA-Z][a-zA-Z0-9]*)")
_SHALLOW = frozenset(
    """area base br col dd dt embed hr img input li link meta option p source tbody td tfoot th thead tr track
    wbr""".split()  # noqa: SIM905
)
"""Elements that hold nothing or end where the next of their kind begins, so that they do not pile up."""

_PICTURE = re.compile(r'<img((?: [a-z-]+="[^"]*")*)>')
"""As the cleaner writes one: attributes in double quotes, which hold none."""
_SOURCE, _WORDS = re.compile(r' src="[^"]'), re.compile(r' alt="([^"]*)"')
_BARE_LINK = re.compile(r'<a((?: (?!href=)[a-z-]+="[^"]*")*?) rel="noopener noreferrer">')
"""A link whose address was taken away."""

_SEALED = re.compile(rf' {_SEAL}="([0-9a-f]+)-([0-9]+)"')
_SEALED_BLOCK = re.compile(rf'<i {_SEAL}="([0-9a-f]+)-b([0-9]+)"></i>')

Lookup = Callable[[str, str], str | None]
"""Element (``a`` or ``img``) and address as written to the address to use, or None for none."""


class TooIntricate(Exception):
    """A document whose drawing would take too long or too much."""


@dataclass(slots=True)
class OwnMarkup:
    """What we put into a document's markup ourselves, kept aside while the rest is cleaned."""

    word: str = field(default_factory=lambda: secrets.token_hex(12))
    addresses: list[str] = field(default_factory=list)
    attributes: list[Markup] = field(default_factory=list)
    blocks: list[Markup] = field(default_factory=list)

    def address(self, target: str) -> str:
        """A stand-in for an address of ours; it looks like an anchor, so that it is let through."""
        self._count()
        self.addresses.append(target)
        return f"#{self.word}-{len(self.addresses) - 1}"

    def attribute(self, **given: Attribute) -> str:
        """A stand-in for attributes of ours, to be written inside a tag."""
        self._count()
        self.attributes.append(Markup(tag("x", **given).removeprefix("<x").removesuffix("></x>")))
        return f' {_SEAL}="{self.word}-{len(self.attributes) - 1}"'

    def block(self, markup: Markup) -> str:
        """A stand-in for a piece of markup of ours, which needs no cleaning."""
        self._count()
        self.blocks.append(markup)
        return f'<i {_SEAL}="{self.word}-b{len(self.blocks) - 1}"></i>'

    def _count(self) -> None:
        if len(self.addresses) + len(self.attributes) + len(self.blocks) >= _MOST_SEALED:
            raise TooIntricate

    def opened(self, address: str) -> str | None:
        """The address behind a stand-in, or None when it is no stand-in of ours."""
        word, _, number = address.removeprefix("#").partition("-")
        return self.addresses[int(number)] if word == self.word else None


def clean(html: str, seal: OwnMarkup, lookup: Lookup) -> Markup:
    """The document's markup, safe to be put into a page; raises `TooIntricate` for what is nested beyond any sense."""
    if depth_of(html) > DEEPEST:
        raise TooIntricate

    def allowed(element: str, attribute: str, value: str) -> str | None:
        if attribute in ("href", "src"):
            return seal.opened(value) or lookup(element, value)
        if attribute == _SEAL:
            return value if value.startswith(f"{seal.word}-") else None
        if attribute in _NUMBERS:
            return value if _NUMBER.match(value) else None
        return value

    cleaned = nh3.clean(
        html,
        tags=set(TAGS),
        clean_content_tags=set(GONE),
        attributes={element: set(names) for element, names in ATTRIBUTES.items()},
        attribute_filter=allowed,
        url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer",
    )
    cleaned = _BARE_LINK.sub("<a\\1>", _PICTURE.sub(_shown, cleaned))
    opened = _SEALED.sub(lambda found: seal.attributes[int(found[2])] if found[1] == seal.word else found[0], cleaned)
    return Markup(
        _SEALED_BLOCK.sub(lambda found: seal.blocks[int(found[2])] if found[1] == seal.word else found[0], opened)
    )


def _shown(picture: re.Match[str]) -> str:
    """A picture, or its words where it has no address: without one it would be nothing to see, and no valid HTML."""
    if _SOURCE.search(picture[1]):
        return picture[0]
    words = _WORDS.search(picture[1])
    return text(f"[picture: {unescape(words[1])}]") if words and words[1].strip() else ""


def depth_of(html: str) -> int:
    """At least as many elements as are ever open at once, whatever closes what.

    An end counts only for an element of its own name: in ``<div></b>`` nothing ends.
    """
    is_open: Counter[str] = Counter()
    depth = deepest = 0
    for found in _TAG.finditer(html):
        name = found[2].lower()
        if name in _SHALLOW:
            continue
        if not found[1]:
            is_open[name] += 1
            depth += 1
            deepest = max(deepest, depth)
        elif is_open[name]:
            is_open[name] -= 1
            depth -= 1
    return deepest
