"""What a section of source code is: a class, function, method, variable or property, with its signature."""

from __future__ import annotations

import re
from enum import StrEnum

from msgspec import Struct

_RECEIVERS = ("self", "cls", "&self", "&mut self")
_TEST = re.compile(
    r"(?:\A|/)(?:(?:tests?|__tests__|specs?)/"
    r"|(?:(?:test_|conftest\.)[^/]*|[^/]*(?:[._-](?:test|spec)s?|Tests?)\.\w+)\Z)"
)


def is_test_file(path: str) -> bool:
    """Whether a file of source code tests others, as projects call and place such files."""
    return _TEST.search(path) is not None


class SymbolKind(StrEnum):
    """What a name stands for."""

    CLASS = "class"
    """Also an interface, struct, enumeration, trait or namespace: whatever holds other symbols."""
    FUNCTION = "function"
    METHOD = "method"
    """A function of a class."""
    VARIABLE = "variable"
    """Also a constant or an alias of a type, at the top level of a file."""
    PROPERTY = "property"
    """What a class has and is not called: an attribute, a field, a property."""


class SymbolParameter(Struct, frozen=True):
    """One parameter as written; each part empty where it is not said."""

    name: str
    """With what stands in front of it: ``*args``, ``...rest``; a lone ``*`` or ``/`` is one, too."""
    type: str = ""
    default: str = ""
    is_optional: bool = False
    """Marked so by the language itself, as by ``?`` in TypeScript."""

    def __str__(self) -> str:
        text = self.name + ("?" if self.is_optional else "")
        if self.type:
            text += f": {self.type}"
        if self.default:
            text += f" = {self.default}" if self.type else f"={self.default}"
        return text


class Symbol(Struct, frozen=True):
    """A definition in source code; its name is the title of its section."""

    kind: SymbolKind
    line: int
    """Where the definition itself begins, behind decorators and leading comments; from 0."""
    parameters: tuple[SymbolParameter, ...] | None = None
    """None for what takes none: variables, properties, most classes."""
    returns: str = ""
    """The type it gives or has."""
    bases: tuple[str, ...] = ()
    """What a class extends or implements, as written."""
    decorators: tuple[str, ...] = ()
    """Without their sign."""
    is_async: bool = False
    is_public: bool = True
    """Whether the language or its custom lets others use it."""

    @property
    def signature(self) -> str:
        """What is written behind the name: ``(limit: int = 0) -> Report``, ``(BaseContext)``, ``: str``."""
        if self.kind is SymbolKind.CLASS or not self._is_called:
            return self.short_signature or (f": {self.returns}" if self.returns else "")
        inside = ", ".join(map(str, self._taken))
        return f"({inside}) -> {self.returns}" if self.returns else f"({inside})"

    @property
    def short_signature(self) -> str:
        """The names of parameters alone, or of a class what it extends."""
        if self.kind is SymbolKind.CLASS:
            return f"({', '.join(self.bases)})" if self.bases else ""
        return f"({', '.join(one.name for one in self._taken)})" if self._is_called else ""

    @property
    def _is_called(self) -> bool:
        return self.parameters is not None and self.kind is not SymbolKind.PROPERTY

    @property
    def _taken(self) -> tuple[SymbolParameter, ...]:
        """The parameters without the receiver, which nobody writes who calls a method."""
        taken = self.parameters or ()
        has_receiver = self.kind is SymbolKind.METHOD and taken and taken[0].name in _RECEIVERS
        return taken[1:] if has_receiver else taken
