"""What a schema says of a value, in a few words, and the fields of an object as rows of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice

from pinakes.parse.converted import in_cell
from pinakes.parse.openapi.values import listed, mapping, said

_DEEPEST = 3
_MOST_CHOICES = 12
_CHOICES = {"oneOf": "one of", "anyOf": "any of", "allOf": "all of"}


def type_of(schema: object, depth: int = 0, *, is_whole: bool = False) -> str:
    """The type of a value as Markdown: a reference is a link. `is_whole` is for the section of the schema itself."""
    facts = mapping(schema)
    if target := said(facts.get("$ref")):
        return _link(target)
    for key, words in _CHOICES.items():
        choices = listed(facts.get(key))
        if choices and depth < _DEEPEST:
            shown = [type_of(one, depth + 1) for one in choices[:_MOST_CHOICES]]
            return f"{words} {', '.join(filter(None, shown))}"
    types = facts.get("type")
    kind = " or ".join(map(said, listed(types)[:_MOST_CHOICES])) or said(types)
    if not kind and ("properties" in facts or is_whole):
        kind = "object"
    if "array" in kind and "items" in facts and depth < _DEEPEST:
        return f"{kind} of {type_of(facts['items'], depth + 1) or 'anything'}"
    form = said(facts.get("format"))
    values = [in_cell(said(one), 60) for one in listed(facts.get("enum"))[:_MOST_CHOICES]]
    said_of = [in_cell(kind, 60), f"({in_cell(form, 60)})" if form else "", f": {', '.join(values)}" if values else ""]
    return " ".join(filter(None, said_of)).replace(" : ", ": ")


def fields_of(schema: Mapping[str, object], prefix: str = "", depth: int = 0) -> Iterator[list[str]]:
    """A row for each field of an object, and of the objects in it that have no name of their own."""
    required = {said(name) for name in listed(schema.get("required"))}
    for name, held in mapping(schema.get("properties")).items():
        facts = mapping(held)
        is_required = "yes" if name in required else ""
        about = in_cell(said(facts.get("description")), 400)
        yield [in_cell(f"{prefix}{name}"), type_of(facts), is_required, about]
        if depth < _DEEPEST:
            inner, mark = (mapping(facts["items"]), "[].") if "items" in facts else (facts, ".")
            yield from fields_of(inner, f"{prefix}{name}{mark}"[-200:], depth + 1)
    if depth < _DEEPEST:
        for part in islice(listed(schema.get("allOf")), _MOST_CHOICES):
            yield from fields_of(mapping(part), prefix, depth + 1)


def _link(target: str) -> str:
    """A reference as a link; spaces and brackets would end it."""
    shown = in_cell(target.rpartition("/")[2].replace("~1", "/").replace("~0", "~"), 100)
    address = "".join(f"%{ord(sign):02X}" if sign in " ()<>|\\\t\r\n" else sign for sign in target[:500])
    return f"[{shown}]({address})"
