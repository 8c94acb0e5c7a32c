"""Drawings without anything that acts: a browser opens a published SVG as a page of the host it lies on.

SVG bytes enter and leave. A drawing in which nothing acts leaves as it is, byte for byte. From any other, what is not
on the list is taken out: scripts, handlers, foreign documents, addresses that lead elsewhere, declarations and
processing instructions. What is no XML at all leaves as a drawing that says so.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from xml.etree import ElementTree

_SVG = "{http://www.w3.org/2000/svg}"
_XHTML = "{http://www.w3.org/1999/xhtml}"
_XLINK = "{http://www.w3.org/1999/xlink}"
_XML = "{http://www.w3.org/XML/1998/namespace}"
_SHAPES = frozenset(
    """a animate animateMotion animateTransform circle clipPath defs desc ellipse feBlend feColorMatrix
    feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow
    feFlood feFuncA feFuncB feFuncG feFuncR feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset
    fePointLight feSpecularLighting feSpotLight feTile feTurbulence filter foreignObject g image line linearGradient
    marker mask mpath path pattern polygon polyline radialGradient rect set stop style svg switch symbol
    text textPath title tspan use view""".split()  # noqa: SIM905 - eighty words in a list would fill the screen
)
_LABELS = frozenset(
    """b body br center code div em font h1 h2 h3 h4 h5 h6 hr i li ol p pre s small span strong sub sup table tbody td
    tfoot th thead tr u ul""".split()  # noqa: SIM905
)
"""Elements of HTML in which programs that draw put their labels."""
_ANIMATIONS = frozenset(("animate", "animateMotion", "animateTransform", "set"))
_ELSEWHERE = re.compile(r"(?:https?:|mailto:|\.{0,2}/(?!/)|[\w.-]+(?:[/?#]|\Z))", re.IGNORECASE)
"""Where a link in a drawing may lead: it is followed by who clicks it."""
_PICTURE = re.compile(r"data:image/(?:png|jpeg|jpg|gif|webp);base64,[A-Za-z0-9+/=\s]*\Z", re.IGNORECASE)
_URL = re.compile(r"url\(\s*(?:\"[^\"]*\"|'[^']*'|[^)\"']*)\s*\)?", re.IGNORECASE)
_OWN_URL = re.compile(
    r"url\(\s*[\"']?\s*(?:#|data:(?:image/(?:png|jpeg|gif|webp)|font/|application/(?:x-)?font))", re.IGNORECASE
)
_LOADS = re.compile(
    r"@(?:import|namespace|charset)\b[^;{}]*;?|(?:image-set|image|src|paint|element|cross-fade)\([^()]*\)?",
    re.IGNORECASE,
)
_RISKY = re.compile(r"@import|url\(|image-set\(|src\(|expression\(|binding|behavior|javascript:", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([0-9a-f]{1,6})\s?|\\(.)", re.IGNORECASE | re.DOTALL)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_DECLARED = re.compile(rb"<!(?!--|\[CDATA\[)|<\?(?!xml\s)")
"""Declarations, in which entities hide, and processing instructions, which can name a stylesheet that is a program."""
_UNREADABLE = (
    b'<svg xmlns="http://www.w3.org/2000/svg"><text y="20">This drawing is not well-formed XML.</text></svg>\n'
)

for _prefix, _space in (("", _SVG), ("html", _XHTML), ("xlink", _XLINK)):
    ElementTree.register_namespace(_prefix, _space.strip("{}"))


def inert(source: bytes) -> bytes:
    """A drawing in which nothing acts and that loads nothing."""
    try:
        root = ElementTree.fromstring(source)
        is_clean = not _DECLARED.search(source) and _is_plain(source)
        if root.tag != f"{_SVG}svg":
            return _UNREADABLE
        taken = [_clean(element) for element in [*root.iter()]]
        if is_clean and not any(taken):
            return source
        written: bytes = ElementTree.tostring(root, "utf-8")
        return written + b"\n"
    except (ElementTree.ParseError, ValueError, LookupError, RecursionError):
        return _UNREADABLE


def _is_plain(source: bytes) -> bool:
    """Whether it is in UTF-8, so that a browser cannot read other letters than we do."""
    declared = re.match(rb"\s*<\?xml[^>]*?encoding\s*=\s*[\"']([^\"']*)", source)
    if declared and declared[1].lower() not in (b"utf-8", b"us-ascii", b"ascii"):
        return False
    try:
        source.decode("utf-8")
    except UnicodeDecodeError:
        return False
    return b"\0" not in source


def _clean(element: ElementTree.Element) -> bool:
    """Take out of an element what acts; says whether there was something."""
    has_changed = False
    for child in [*element]:
        if not _may_stay(child):
            _remove(element, child)
            has_changed = True
    for name, value in [*element.items()]:
        kept = _attribute(element.tag, name, value)
        if kept is None:
            del element.attrib[name]
        elif kept != value:
            element.set(name, kept)
        has_changed |= kept != value
    if element.tag == f"{_SVG}style":
        css = "".join(element.itertext())
        if (kept := _css(css)) != css or len(element):
            element[:] = []
            element.text = kept
            has_changed = True
    return has_changed


def _may_stay(element: ElementTree.Element) -> bool:
    tag = element.tag
    if not isinstance(tag, str):
        return False
    if tag.startswith(_XHTML):
        return tag.removeprefix(_XHTML) in _LABELS
    name = tag.removeprefix(_SVG)
    if name == tag or name not in _SHAPES:
        return False
    target = element.get("attributeName", "").strip().lower().rpartition(":")[2]
    return name not in _ANIMATIONS or not (target in ("href", "src") or target.startswith("on"))


def _remove(parent: ElementTree.Element, child: ElementTree.Element) -> None:
    """Without the child, and with the text behind it."""
    at = [*parent].index(child)
    if at:
        parent[at - 1].tail = (parent[at - 1].tail or "") + (child.tail or "")
    else:
        parent.text = (parent.text or "") + (child.tail or "")
    parent.remove(child)


def _attribute(tag: str, name: str, value: str) -> str | None:
    """The value that an attribute may have; None for none."""
    if name in (f"{_XML}space", f"{_XML}lang"):
        return value
    local = name.removeprefix(_XLINK)
    if local.startswith("{") or local.lower().startswith("on"):
        return None
    if local == "href":
        return value if _may_lead(tag.removeprefix(_SVG), re.sub(r"[\x00-\x20]+", "", value)) else None
    if local.lower() in (
        "src",
        "base",
        "ping",
        "action",
        "formaction",
        "background",
        "srcdoc",
        "data",
        "poster",
        "srcset",
    ):
        return None
    is_style = local == "style" or "url(" in _ESCAPE.sub(_unescaped, value).lower()
    return _css(value) if is_style else value


def _may_lead(element: str, address: str) -> bool:
    if address.startswith("#"):
        return True
    if element == "a":
        return bool(_ELSEWHERE.match(address))
    return element in ("image", "feImage") and bool(_PICTURE.match(address))


def _css(text: str) -> str:
    """A style, or a value that may hold one, without what loads or runs anything."""
    if not _RISKY.search(text) and "\\" not in text and not _LOADS.search(text):
        return text
    bare = _COMMENT.sub("", text)
    if len([*_risks(_ESCAPE.sub(_unescaped, bare))]) > len([*_risks(bare)]):
        return ""  # somebody hid it, so there is nothing to be kept
    kept = _URL.sub(lambda found: found[0] if _OWN_URL.match(found[0]) else "none", text)
    kept = _LOADS.sub(lambda found: "" if found[0].startswith("@") else "none", kept)
    return re.sub(r"expression\(|-moz-binding|behavior|javascript:", "none", kept, flags=re.IGNORECASE)


def _risks(text: str) -> Iterator[re.Match[str]]:
    yield from _RISKY.finditer(text)


def _unescaped(found: re.Match[str]) -> str:
    code = int(found[1], 16) if found[1] else 0
    return found[2] if found[2] else chr(code) if 0 < code < 0x110000 else "\ufffd"
