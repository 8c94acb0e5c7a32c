"""XML of documents as a tree, read as data: no entity is declared, nothing outside is loaded.

Bytes enter, the root element leaves. Names come as ``{namespace}name``, as the standard library gives them.
"""

from __future__ import annotations

from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

from pinakes.errors import Unfit


class _NoDoctype(TreeBuilder):
    def doctype(self, name: str, public: str | None, system: str | None) -> None:
        """Called for a declaration, which `XMLParser` reads no entities from."""
        del name, public, system


def parsed(data: bytes) -> Element:
    """The root of a document; raises `Unfit` for what is no XML, or declares entities."""
    if declares_entities(data):
        raise Unfit("declares XML entities, which documents of this format do not.", "Take in its text instead.")
    try:
        parser = XMLParser(target=_NoDoctype())
        parser.feed(data)
        root: Element = parser.close()
    except (ParseError, ValueError):
        raise Unfit("is damaged: a part of it is no XML.", "Get it again.") from None
    return root


def declares_entities(data: bytes) -> bool:
    """Whether a document may hold more than it says; also in UTF-16, where each letter has a zero byte."""
    return b"<!ENTITY" in data.replace(b"\0", b"")


def local(element: Element) -> str:
    """The name of an element without its namespace; nothing for a comment."""
    return element.tag.rpartition("}")[2] if isinstance(element.tag, str) else ""


def attribute(element: Element, name: str) -> str:
    """The attribute with this name in whichever namespace."""
    return next((value for key, value in element.attrib.items() if key.rpartition("}")[2] == name), "")
