"""What each part contributes: the same questions with one part left out at a time."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace

from pinakes.errors import ConfigError
from pinakes.evaluation.tuning import Options
from pinakes.evaluation.verdicts import Evaluation

EVERYTHING = "everything"


@dataclass(frozen=True, slots=True)
class Variant:
    """An evaluation with something changed."""

    name: str
    evaluation: Evaluation


def ablate(parts: Sequence[str], run: Callable[[frozenset[str]], Evaluation]) -> tuple[Variant, ...]:
    """Everything first, then without each of the parts."""
    whole = Variant(EVERYTHING, run(frozenset()))
    return (whole, *(Variant(f"without {part}", run(frozenset({part}))) for part in parts))


def leaving_out(options: Options, parts: frozenset[str]) -> Options:
    """`options` without some parts, which go by their names in the field `leave_out`."""
    if "leave_out" not in {one.name for one in fields(options)}:
        raise ConfigError("Parts of a profile cannot be left out yet.", "Compare profiles with --profile.")
    return replace(options, **{"leave_out": tuple(sorted(parts))})
