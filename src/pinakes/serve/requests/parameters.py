"""How a parameter of a request is described, read and refused, the same at every door.

A request is a frozen dataclass (see `questions` and `notes`) and each of its fields one row of the table: the field
gives the name, the type and the default, its `Parameter` the rest. What a door was sent enters `parse`, the request
leaves; what cannot be meant raises `BadParameter` with the same sentence for a terminal, a browser, a client and a
model. Options of the command line, OpenAPI, the schemas of MCP and the page's forms are made from the same rows.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from difflib import get_close_matches
from enum import Enum, Flag, auto
from functools import cache
from types import NoneType
from typing import Any, ClassVar, Self, TypeVar, get_args, get_origin, get_type_hints

from msgspec import Struct
from msgspec.structs import replace

from pinakes.access import TokenScope
from pinakes.errors import PinakesError
from pinakes.render import Json
from pinakes.serve.requests.numbers import number_of

LONGEST_TEXT = 10_000
"""Characters of a question or an address, where the row says nothing else; the library looks at no more of them."""
LONGEST_ENTRY = 500
"""Characters of an entry of a list, where the row says nothing else."""
MOST_ENTRIES = 100
"""Entries of a list, where the row says nothing else."""

_FLAGS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


class BadParameter(PinakesError):
    """A parameter that is unknown, missing or malformed."""


class Doors(Flag):
    """The doors at which a parameter stands."""

    CLI = auto()
    HTTP = auto()
    MCP = auto()
    PAGE = auto()
    ALL = CLI | HTTP | MCP | PAGE


class TextForm(Struct, frozen=True):
    """What a text must look like."""

    pattern: str
    """A regular expression over the whole text, in the dialect of JSON Schema, so that OpenAPI can say it too."""
    name: str
    """What the text must be: “is not a valid date”."""
    advice: Callable[[str], str]
    """What to write instead of a text that does not fit."""
    normal: Callable[[str], str] = str
    """The text as the library takes it."""
    numbers: tuple[int, int] | None = None
    """The least and the greatest number that is taken for its digits; None where a number is no such text."""


class Parameter(Struct, frozen=True):
    """One row of the table."""

    help: str
    """For people: the help of the command line and OpenAPI."""
    brief: str = ""
    """For models, which pay for every word; empty where the name says enough."""
    label: str = ""
    """What the page's form calls it."""
    example: str = ""
    doors: Doors = Doors.ALL
    aliases: tuple[str, ...] = ()
    """Older spellings that are still understood and no longer documented."""
    least: int | None = None
    most: int | None = None
    """Numbers: the bounds, both in."""
    shortest: int = 0
    longest: int = 0
    """Texts: characters; 0 for what is usual."""
    fewest: int = 0
    entries: int = MOST_ENTRIES
    """Lists: how many."""
    form: TextForm | None = None
    choices: tuple[str, ...] = ()
    brief_choices: tuple[str, ...] = ()
    """Those that models are told of; empty for all."""
    is_required: bool = False
    at_doors: Mapping[Doors, object] = {}
    """Defaults that differ from door to door."""
    name: str = ""
    base: type = str
    """str, int, float, bool or an enumeration; of each entry where `is_many`."""
    is_many: bool = False
    is_optional: bool = False
    """Whether None is a value: the library decides, or nothing changes."""
    default: object = None

    def default_at(self, door: Doors) -> object:
        """What a request holds when this door is not told otherwise."""
        return self.at_doors.get(door, self.default)

    def read(self, value: object, *, is_text: bool) -> object:
        """A value as the request holds it. `is_text`: it was typed or stands in an address, so that a number is made
        of digits; else it is JSON and has JSON's types. Raises `BadParameter`."""
        if value is None and self.is_optional:
            return None
        if not self.is_many:
            return self._one(value[-1] if is_text and isinstance(value, list) and value else value, is_text=is_text)
        if not isinstance(value, Sequence) or isinstance(value, str):
            raise BadParameter(f"{self.name}: this is not a list.", 'Send JSON such as ["guide/**"].')
        if not self.fewest <= len(value) <= self.entries:
            raise BadParameter(f"{self.name}: there are {len(value):,} entries.", f"Give {self._range('entries')}.")
        return tuple(self._one(one, is_text=is_text) for one in value)

    def _one(self, value: object, *, is_text: bool) -> object:
        if self.base is bool:
            return self._flag(value, is_text=is_text)
        if self.base in (int, float):
            return self._number(value, is_text=is_text)
        if self.form is not None and self.form.numbers is not None and (number := number_of(value, is_text=False)):
            value = str(int(number)) if number == int(number) else value
        if not isinstance(value, str):
            raise BadParameter(f"{self.name}: this is not a text.", "Send a JSON string.")
        if issubclass(self.base, Enum) or self.choices:
            return self._choice(value)
        if len(value) > self.most_letters or len(value) < self.shortest:
            raise BadParameter(f"{self.name}: there are {len(value):,} characters.", f"Give {self._range('length')}.")
        if self.form is not None and not re.fullmatch(self.form.pattern, value):
            raise BadParameter(f"{self.name}: “{value[:80]}” is not a valid {self.form.name}.", self.form.advice(value))
        return self.form.normal(value) if self.form is not None else value

    def _choice(self, value: str) -> object:
        if not value and not self.is_required and not self.is_many:
            return self.default
        if value not in self.values:
            raise BadParameter(f"{self.name}: “{value[:80]}” is unknown.", f"Choose one of {', '.join(self.values)}.")
        return self.base(value)

    def _flag(self, value: object, *, is_text: bool) -> bool:
        known = _FLAGS.get(value.lower()) if is_text and isinstance(value, str) else value
        if not isinstance(known, bool):
            raise BadParameter(f"{self.name}: “{str(value)[:80]}” is neither true nor false.", "Write true or false.")
        return known

    def _number(self, value: object, *, is_text: bool) -> int | float:
        number = number_of(value, is_text=is_text)
        if self.base is int and isinstance(number, float):
            number = int(number) if number.is_integer() else None
        least, most = self.least, self.most
        if number is None or (least is not None and number < least) or (most is not None and number > most):
            raise BadParameter(f"{self.name}: “{str(value)[:80]}” is not taken.", f"Give {self._range('number')}.")
        return number

    @property
    def most_letters(self) -> int:
        """How long a text may be, or an entry of a list."""
        return self.longest or (LONGEST_ENTRY if self.is_many else LONGEST_TEXT)

    @property
    def values(self) -> tuple[str, ...]:
        """What can be chosen; empty where anything can be written."""
        return tuple(str(one.value) for one in self.base) if issubclass(self.base, Enum) else self.choices

    def _range(self, what: str) -> str:
        if what == "entries":
            return f"{self.fewest or 'at most'}{' to ' if self.fewest else ' '}{self.entries:,} of them"
        if what == "length":
            return f"{self.shortest or 'at most'}{' to ' if self.shortest else ' '}{self.most_letters:,} characters"
        kind = "a whole number" if self.base is int else "a number"
        return f"{kind} from {self.least or 0}{f' to {self.most:,}' if self.most is not None else ' upwards'}"


def row(help: str, brief: str = "", *, default: object = "", **rest: Any) -> Any:
    """A field of a request with its row; rows that several requests share are annotations (see `rows`)."""
    return field(default=default, metadata={"row": Parameter(help, brief, **rest)})


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What every request has."""

    doors: ClassVar[Doors] = Doors.ALL  # where the request stands; its rows stand nowhere else
    needs: ClassVar[TokenScope] = TokenScope.READ  # what a token must allow that sends it
    one_of: ClassVar[tuple[str, ...]] = ()
    """Names of which one must be given. A query string is described as if that were the first."""
    library: str = row(
        "Which library, by name. Default: the first. Search, read, links: * for all.", longest=255, doors=Doors.HTTP
    )
    given: frozenset[str] = field(default=frozenset(), compare=False, repr=False)
    """The names that a door was sent; no row. A default that a door has is not what somebody asked for."""

    def was_asked(self, name: str) -> bool:
        """Whether somebody chose this value."""
        return name in self.given if self.given else getattr(self, name) is not None

    def changed(self, **values: Any) -> Self:
        """It with other values."""
        return dataclasses.replace(self, **values)

    def check(self) -> None:
        """Raise `BadParameter` where values that are right by themselves make no request together."""


R = TypeVar("R", bound=Request)


def parameters(kind: type[Request], door: Doors = Doors.ALL) -> Mapping[str, Parameter]:
    """The rows of a request that stand at one of these doors, by name."""
    hashed: Any = kind  # mypy does not believe that a type can be hashed
    return _parameters(hashed, door)


@cache
def _parameters(kind: Any, door: Doors) -> Mapping[str, Parameter]:
    hints = get_type_hints(kind, include_extras=True)
    rows = (one for one in fields(kind) if one.name != "given")
    made = (_completed(one.name, hints[one.name], one.default, one.metadata.get("row")) for one in rows)
    return {one.name: one for one in made if one.doors & kind.doors & door}


def parse(
    kind: type[R], given: Mapping[str, object], door: Doors, *, is_text: bool = False, is_whole: bool = True
) -> R:
    """The request that a door was sent; raises `BadParameter` for what it does not take.

    With `is_whole` off, what is required may be missing: a form that is not filled in yet.
    """
    rows = parameters(kind, door)
    # A model sends null for what it leaves out, and a text for a list of one.
    sent = _forgiven(given, rows) if door is Doors.MCP else given
    values = read_values(rows, sent, is_text=is_text, is_whole=is_whole)
    defaults: dict[str, Any] = {name: one.default_at(door) for name, one in rows.items()}
    request = kind(**(defaults | values), given=frozenset(values))
    if is_whole:
        request.check()
    return request


def read_values(
    rows: Mapping[str, Parameter], given: Mapping[str, object], *, is_text: bool, is_whole: bool = True
) -> dict[str, object]:
    """What was given of these rows, by their names; raises `BadParameter`."""
    spelled = {alias: name for name, one in rows.items() for alias in one.aliases}
    values: dict[str, object] = {}
    for key, value in given.items():
        name = spelled.get(key, key)
        if name not in rows:
            raise unknown(key, rows)
        if name in values:
            raise BadParameter(f"{name} is there twice: “{key[:80]}” is an older name of it.", f"Give {name} alone.")
        values[name] = rows[name].read(value, is_text=is_text)
    for name, one in rows.items():
        if is_whole and one.is_required and values.get(name) in (None, "", ()):
            raise BadParameter(f"There is no {name}.", f"Give it: {one.help.rstrip('.')}.")
    return values


def library_name(value: object) -> str:
    """The name of a library as a client sent it; empty for the first one."""
    return str(parameters(Request)["library"].read("" if value is None else value, is_text=False))


def unknown(name: str, known: Mapping[str, object]) -> BadParameter:
    """The refusal of a name that nobody asked for: ignored, it would give a wrong answer that looks right."""
    near = get_close_matches(name[:80], known, n=1)
    offer = f"Did you mean {near[0]}?" if near else f"There are {', '.join(known) or 'none'}."
    return BadParameter(f"There is no parameter “{name[:80]}”.", offer)


def schema(one: Parameter, door: Doors) -> dict[str, Json]:
    """A row as JSON Schema: with every limit for OpenAPI, in few words for models."""
    is_brief = door is Doors.MCP
    entry = _entry(one, is_brief=is_brief)
    if one.is_many:
        entry = {"type": "array", "items": entry}
        if not is_brief:
            entry |= ({"minItems": one.fewest} if one.fewest else {}) | {"maxItems": one.entries}
    if one.is_optional and not is_brief:
        entry = {"anyOf": [entry, {"type": "null"}]}
    if said := one.brief if is_brief else one.help:
        entry["description"] = said
    default = one.default_at(door)
    if isinstance(default, (str, int, float)) and default not in ("", 0) and not one.is_required:
        entry["default"] = default.value if isinstance(default, Enum) else default
    if one.example and not is_brief and one.is_required:
        entry["examples"] = [one.example]
    return entry


def object_schema(kind: type[Request], door: Doors) -> dict[str, Json]:
    """A whole request as JSON Schema. For models, unknown names are refused with a sentence and not by the schema."""
    rows = parameters(kind, door)
    shape: dict[str, Json] = {"type": "object", "properties": {name: schema(one, door) for name, one in rows.items()}}
    if required := [name for name, one in rows.items() if one.is_required]:
        shape["required"] = [*required]
    if door is Doors.MCP:
        return shape
    if kind.one_of:
        shape["anyOf"] = [{"required": [name], "properties": {name: {"minLength": 1}}} for name in kind.one_of]
    return {"title": kind.__name__, "description": (kind.__doc__ or "").partition("\n")[0], **shape} | {
        "additionalProperties": False
    }


def _forgiven(given: Mapping[str, object], rows: Mapping[str, Parameter]) -> dict[str, object]:
    lists = {name for one in rows.values() if one.is_many for name in (one.name, *one.aliases)}
    sent = {name: value for name, value in given.items() if value is not None}
    return {name: [value] if name in lists and isinstance(value, str) else value for name, value in sent.items()}


def _entry(one: Parameter, *, is_brief: bool) -> dict[str, Json]:
    if values := (is_brief and one.brief_choices) or one.values:
        absent = [] if is_brief or one.is_required or one.is_many else [""]
        return {"enum": [*absent, *values]} if is_brief else {"type": "string", "enum": [*absent, *values]}
    if one.base is bool:
        return {"type": "boolean"}
    if one.base in (int, float):
        bounds: dict[str, Json] = {"minimum": one.least} if one.least is not None and not is_brief else {}
        bounds |= {"maximum": one.most} if one.most is not None else {}
        return {"type": "integer" if one.base is int else "number", **bounds}
    if is_brief:
        return {"type": "string"}
    shortest = max(one.shortest, 1 if one.is_required and not one.is_many else 0)
    least: dict[str, Json] = {"minLength": shortest} if shortest else {}
    text: dict[str, Json] = {"type": "string", **least, "maxLength": one.most_letters} | (
        {"pattern": f"^(?:{one.form.pattern})$"} if one.form else {}
    )
    if one.form is None or one.form.numbers is None:
        return text
    first, last = one.form.numbers
    return {"anyOf": [text, {"type": "integer", "minimum": first, "maximum": last}]}


def _completed(name: str, hint: Any, default: object, one: Parameter | None) -> Parameter:
    """A row with what its field says: name, type and default; a shared row stands in the annotation."""
    kind, one = (hint, one) if one is not None else get_args(hint)[:2]
    assert one is not None
    is_optional = NoneType in get_args(kind)
    if is_optional:
        (kind,) = (part for part in get_args(kind) if part is not NoneType)
    is_many = get_origin(kind) is tuple
    base = get_args(kind)[0] if is_many else kind
    return replace(one, name=name, base=base, is_many=is_many, is_optional=is_optional, default=default)
