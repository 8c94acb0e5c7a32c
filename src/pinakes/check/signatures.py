"""What changed in the signature of a symbol, as far as a document may speak of it.

Two symbols enter, changes leave. Types and return types are left aside, because documents seldom repeat them; so are
new parameters that need not be given.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from msgspec import Struct

from pinakes.records import Symbol, SymbolKind, SymbolParameter

_RECEIVERS = ("self", "cls", "&self", "&mut self")
_MARKS = ("*", "/")


class SignatureChange(Struct, frozen=True):
    """One change, and what a section must say to be wrong now."""

    text: str
    words: frozenset[str] = frozenset()
    """A section that has one of these words in code type is wrong; without any, one that shows the call."""
    known: frozenset[str] = frozenset()
    """A section that has one of these knows of the change."""


def signature_changes(then: Symbol, now: Symbol) -> Iterator[SignatureChange]:
    """What is different now, in the order of the parameters."""
    if then.kind is not now.kind and SymbolKind.PROPERTY in (then.kind, now.kind):
        yield SignatureChange(f"is a {now.kind} now and was a {then.kind}")
    elif then.is_async is not now.is_async:
        yield SignatureChange("is asynchronous now" if now.is_async else "is no longer asynchronous")
    before, after = _parameters(then), _parameters(now)
    if now.parameters is None or then.parameters is None or _takes_any(now):
        return
    gone = [name for name in before if name not in after]
    new = [name for name in after if name not in before]
    for name in gone:
        place = list(before).index(name)
        renamed = [one for one in new if list(after).index(one) == place]
        if renamed:
            change = f"its parameter {name} is called {renamed[0]} now"
            yield SignatureChange(change, frozenset((name,)), frozenset(renamed))
        else:
            yield SignatureChange(f"its parameter {name} is gone", frozenset((name,)))
    taken_over = {list(after)[list(before).index(name)] for name in gone if list(before).index(name) < len(after)}
    for name in new:
        if _is_required(after[name]) and name not in taken_over:
            yield SignatureChange(f"it takes a parameter {name} now", known=frozenset((name,)))
    for name, parameter in before.items():
        default = after[name].default if name in after else parameter.default
        if parameter.default and default != parameter.default:
            said = f"is {default} and was {parameter.default}" if default else f"was {parameter.default} and is gone"
            yield SignatureChange(f"the default of its parameter {name} {said}", frozenset((name,)))


def _parameters(symbol: Symbol) -> Mapping[str, SymbolParameter]:
    listed = [one for one in symbol.parameters or () if one.name not in _MARKS]
    if listed and listed[0].name in _RECEIVERS:
        listed = listed[1:]
    return {one.name.lstrip("*.&"): one for one in listed}


def _is_required(parameter: SymbolParameter) -> bool:
    return not parameter.default and not parameter.is_optional and not parameter.name.startswith(("*", "..."))


def _takes_any(symbol: Symbol) -> bool:
    """Whether parameters by any name are taken."""
    return any(one.name.startswith("**") for one in symbol.parameters or ())
