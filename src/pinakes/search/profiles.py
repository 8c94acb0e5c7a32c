"""Profiles are tuples of stages: leaving something out means leaving it out of the tuple."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

from msgspec import Struct

from pinakes.errors import ConfigError
from pinakes.records import Ranking
from pinakes.search.fuse import page_support
from pinakes.search.plan import SearchPlan, Tools
from pinakes.search.priors import answering, recency
from pinakes.search.rerank import rerank

StageFunction = Callable[[Ranking, SearchPlan, Tools], Ranking]

RECENCY = recency
"""In no profile: questions to corpora that age, such as memories, ask for it (`Query.recent`)."""


class SearchProfile(Struct, frozen=True):
    """How thoroughly a question is answered."""

    retrievers: frozenset[str]
    """Who is asked."""
    depth: int
    """How much of each list is asked for."""
    stages: tuple[StageFunction, ...]
    """What is done with the fused ranking, in order."""
    expands: bool = True
    """Whether long forms of shortened words are asked for besides."""


PROFILES: Mapping[str, SearchProfile] = MappingProxyType(
    {
        "fast": SearchProfile(frozenset({"words"}), 100, (page_support, answering), expands=False),
        "balanced": SearchProfile(frozenset({"words", "meaning"}), 100, (page_support, answering)),
        "thorough": SearchProfile(
            frozenset({"words", "meaning"}),
            300,
            (page_support, answering, rerank),
        ),
    }
)
"""`fast` asks words alone; `balanced` asks meaning too; `thorough` has more hits behind those of `balanced`, and
reads the first ones again with a reranker unless none is set."""


def parts(name: str) -> tuple[str, ...]:
    """What can be left out of a profile, by name: its retrievers, what stands around fusion, its stages."""
    asked = profile(name)
    around = ("spelling", "kinds", "clarity", "compare") if len(asked.retrievers) > 1 else ("spelling", "compare")
    retrievers = tuple(sorted(asked.retrievers)) if len(asked.retrievers) > 1 else ()
    expansion = ("expansion",) if asked.expands else ()
    return (*retrievers, *around, *expansion, *(stage.__name__ for stage in asked.stages), "evidence")


def all_parts() -> tuple[str, ...]:
    """What can be left out of any profile."""
    return tuple(dict.fromkeys([part for name in PROFILES for part in parts(name)] + [RECENCY.__name__]))


def profile(name: str) -> SearchProfile:
    """The profile of this name."""
    if name not in PROFILES:
        raise ConfigError(f"There is no profile “{name}”.", f"Choose one of {', '.join(PROFILES)}.")
    return PROFILES[name]
