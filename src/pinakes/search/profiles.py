"""Profiles are tuples of stages: leaving something out means leaving it out of the tuple."""

from __future__ import annotations

from collections.abc import Callable

from pinakes.errors import ConfigError
from pinakes.records import Ranking
from pinakes.search.plan import Plan
from pinakes.search.support import page_support

StageFunction = Callable[[Ranking, Plan], Ranking]

PROFILES: dict[str, tuple[StageFunction, ...]] = {
    "fast": (),
    "balanced": (page_support,),
}
"""`fast` asks words alone; `balanced` asks meaning too and lets pages support their sections."""


def profile(name: str) -> tuple[StageFunction, ...]:
    """The stages of a profile."""
    if name not in PROFILES:
        raise ConfigError(f"There is no profile “{name}”.", f"Choose one of {', '.join(PROFILES)}.")
    return PROFILES[name]
