"""Records with the fast constructor are the records they would be with the usual one."""

from __future__ import annotations

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, replace
from inspect import signature

import pytest

from pinakes.records import Section, Span
from pinakes.records.making import quickly_made


@dataclass(frozen=True, slots=True)
class Usual:
    name: str
    count: int
    marks: tuple[str, ...] = ()


@quickly_made
@dataclass(frozen=True, slots=True)
class Quick:
    name: str
    count: int
    marks: tuple[str, ...] = ()


def test_a_quick_record_takes_the_arguments_of_the_usual_one() -> None:
    assert signature(Quick) == signature(Usual)
    assert repr(Quick("a", 1)) == repr(Usual("a", 1)).replace("Usual", "Quick")
    assert Quick(count=1, name="a") == Quick("a", 1, ()) != Quick("a", 2)
    with pytest.raises(TypeError):
        Quick("a")  # type: ignore[call-arg]
    with pytest.raises(TypeError):
        Quick("a", 1, other=2)  # type: ignore[call-arg]


def test_a_quick_record_is_frozen_and_has_no_room_for_more() -> None:
    made = Quick("a", 1)
    with pytest.raises(FrozenInstanceError):
        made.name = "b"  # type: ignore[misc]
    with pytest.raises(FrozenInstanceError):
        del made.name
    assert not hasattr(made, "__dict__")
    assert type(made) is Quick


def test_a_quick_record_can_be_hashed_copied_changed_and_sent() -> None:
    made = Section("a", "A", 1, 0, Span(0, 9), Span(0, 2), ("x",))
    assert {made: 1}[copy.copy(made)] == 1
    assert pickle.loads(pickle.dumps(made)) == made == copy.deepcopy(made)
    assert replace(made, title="B") == Section("a", "B", 1, 0, Span(0, 9), Span(0, 2), ("x",))
