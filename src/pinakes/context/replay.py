"""What a conversation would have cost: a recorded session, laid out in several ways.

Requests enter, each a set of blocks with a question and an answer; tokens sent, tokens read from a cache and the cost
leave, in tokens of full price. A provider's cache is simulated as they describe it: what is identical to the beginning
of an earlier request up to one of its marks is read for a tenth of the price, what is new and ends at a mark is written
for a quarter more, and everything else costs what it costs.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256

from msgspec import Struct
from msgspec.structs import replace

from pinakes.context.first import first_places
from pinakes.context.tracker import CACHE_TARGET, READING, WRITING, TierTracker
from pinakes.errors import ConfigError
from pinakes.records.context import ContextBlock, Tier

_MOST_LINE = 10_000_000
_LAST_EXCHANGES = 2
_FIELDS = {"set", "drop", "question", "answer"}


class SessionRequest(Struct, frozen=True):
    """One request of a session."""

    blocks: tuple[ContextBlock, ...]
    """Without what was said. The text of a block is its digest: only its length matters, and whether it changed."""
    components: Mapping[str, int]
    """Which blocks hang together, by key."""
    cited: Mapping[str, int]
    """How often each is cited, by key."""
    question: int
    """Tokens."""
    answer: int
    """Tokens."""
    mode: str = ""
    """What was asked about: each mode has a tracker of its own."""


class ReplayCost(Struct, frozen=True):
    """What a layout comes to over a session."""

    layout: str
    requests: int
    sent: int
    """Tokens of all prompts."""
    cached: int
    """Of these, read from a cache."""
    cost: float
    """In tokens of full price."""


_Stretch = tuple[str, int, bool]
"""What identifies a stretch of a prompt, its tokens, and whether a cache mark ends it."""
_Layout = Callable[[SessionRequest, Sequence[ContextBlock]], list[_Stretch]]


def read_session(lines: Iterable[str], name: str) -> Iterator[SessionRequest]:
    """The requests of a recorded session. A line is a JSON object: `set` has the blocks that came or changed since the
    line before, each as digest and tokens by key, and for outlines the number of their component and how often they are
    cited; `drop` has the keys that went, `question` and `answer` their tokens."""
    held: dict[str, ContextBlock] = {}
    components: dict[str, int] = {}
    cited: dict[str, int] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            if len(line) > _MOST_LINE:
                raise ValueError("it is too long")
            row = json.loads(line)
            if not _FIELDS & row.keys():
                raise ValueError(f"it has none of {', '.join(sorted(_FIELDS))}")
            for key in row.get("drop", ()):
                held.pop(key, None)
            for key, (digest, tokens, *more) in row.get("set", {}).items():
                held[str(key)] = ContextBlock(str(key), str(digest), str(digest), _count(tokens))
                if more:
                    components[str(key)], cited[str(key)] = map(int, more)
            question, answer = _count(row.get("question", 0)), _count(row.get("answer", 0))
        except (ValueError, TypeError, AttributeError, OverflowError, RecursionError) as error:
            step = (
                'A line looks like {"set": {"map:a.md": ["digest", 120]}, "drop": [], "question": 30, "answer": 400}.'
            )
            raise ConfigError(f"{name}, line {number}, is no request: {error}.", step) from None
        yield SessionRequest(tuple(held.values()), dict(components), dict(cited), question, answer)


def _count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise ValueError(f"{value!r} is no number of tokens")
    return value


def replay(requests: Sequence[SessionRequest], cache_target: int = CACHE_TARGET) -> tuple[ReplayCost, ...]:
    """The cost of a session in tiers, and beside it in the usual layouts."""
    trackers: dict[str, TierTracker] = {}
    layouts: Mapping[str, _Layout] = {
        "tiers": lambda request, said: _in_tiers(trackers, request, said, cache_target),
        "map first, then files": _map_then_files,
        "whole map in one block": _one_block,
        "everything fresh": _fresh,
    }
    return tuple(_cost(name, layout, requests) for name, layout in layouts.items())


def _cost(name: str, layout: _Layout, requests: Sequence[SessionRequest]) -> ReplayCost:
    known: set[str] = set()
    said: list[ContextBlock] = []
    sent = cached = 0
    cost = 0.0
    for request in requests:
        stretches = layout(request, said)
        ends = _prefixes(stretches)
        reached = max((at for at, (prefix, marked) in enumerate(ends, 1) if marked and prefix in known), default=0)
        last_mark = max((at for at, (_, marked) in enumerate(ends, 1) if marked), default=0)
        for at, (_, tokens, _) in enumerate(stretches, 1):
            sent += tokens
            cached += tokens if at <= reached else 0
            cost += tokens * (READING if at <= reached else WRITING if at <= last_mark else 1.0)
        known.update(prefix for prefix, marked in ends if marked)
        sent += request.question
        cost += request.question
        number = len(said)
        said.append(ContextBlock(f"history:{number:06}", str(number), str(number), request.question + request.answer))
    return ReplayCost(name, len(requests), sent, cached, cost)


def _prefixes(stretches: Sequence[_Stretch]) -> list[tuple[str, bool]]:
    """For each stretch, the digest of everything up to its end, and whether a mark stands there."""
    found, so_far = [], sha256()
    for identity, _, marked in stretches:
        so_far.update(identity.encode() + b"\0")
        found.append((so_far.hexdigest(), marked))
    return found


def _in_tiers(
    trackers: dict[str, TierTracker], request: SessionRequest, said: Sequence[ContextBlock], cache_target: int
) -> list[_Stretch]:
    older, recent = said[:-_LAST_EXCHANGES], [replace(one, is_recent=True) for one in said[-_LAST_EXCHANGES:]]
    first = None
    if request.mode not in trackers:
        trackers[request.mode] = TierTracker(cache_target)
        first = first_places(request.blocks, request.components, request.cited, cache_target)
    layout = trackers[request.mode].update([*request.blocks, *older, *recent], first)
    found: list[_Stretch] = []
    for tier in (Tier.L0, Tier.L1, Tier.L2, Tier.L3):
        if held := layout.standing_in(tier):
            found.append((" ".join(f"{one.block.key} {one.block.text}" for one in held), layout.tokens(tier), True))
    found += [_alone(one.block) for one in layout.standing_in(Tier.ACTIVE) if not one.block.is_recent]
    return found + [_alone(block) for block in recent]


def _map_then_files(request: SessionRequest, said: Sequence[ContextBlock]) -> list[_Stretch]:
    """The map with a mark behind it, the selected files with another, then what was said with a third."""
    files = [block for block in request.blocks if block.key.startswith("file:")]
    maps = [block for block in request.blocks if not block.key.startswith("file:")]
    return [_joined(part) for part in (maps, files, said) if part]


def _one_block(request: SessionRequest, said: Sequence[ContextBlock]) -> list[_Stretch]:
    """One mark behind map and files; what was said is sent anew."""
    return [*([_joined(request.blocks)] if request.blocks else []), *map(_alone, said)]


def _fresh(request: SessionRequest, said: Sequence[ContextBlock]) -> list[_Stretch]:
    return [_alone(block) for block in (*request.blocks, *said)]


def _joined(blocks: Sequence[ContextBlock]) -> _Stretch:
    ordered = sorted(blocks, key=lambda block: block.key)
    return " ".join(f"{block.key} {block.text}" for block in ordered), sum(block.tokens for block in ordered), True


def _alone(block: ContextBlock) -> _Stretch:
    return f"{block.key} {block.text}", block.tokens, False
