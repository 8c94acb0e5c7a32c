"""What runs between two moments: every call of a function of ours enters by `sys.setprofile`, counts leave.

A frame is ours when its file lies in the folder of the package. Module and class bodies are not functions, and what
dataclasses generate has no file. A generator counts as called each time it goes on, so the numbers of calls are upper
bounds; functions, files, rooms and depth are exact. Work handed to another thread keeps the way it came by, carried by
a context variable, so that hops are counted across threads.
"""

from __future__ import annotations

import contextvars
import importlib
import inspect
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any, NamedTuple

_FRAMEWORKS = ("click", "fastapi", "starlette", "uvicorn", "mcp")
"""Packages that call a door of ours; the last such call is where hops are counted from."""
QUIET_S = 0.4
"""So long nothing of ours runs before a route counts as over."""
_LONGEST_S = 60.0


class Step(NamedTuple):
    """A function on the way."""

    code: CodeType
    is_door: bool
    """Whether a framework called it."""


@dataclass
class Seen:
    """What happened in one window."""

    codes: set[CodeType] = field(default_factory=set)
    before_search: set[CodeType] = field(default_factory=set)
    is_searched: bool = False
    file_calls: int = 0
    room_calls: int = 0
    depth: int = 0
    way: tuple[Step, ...] = ()
    """The way to the first comparison."""
    is_synced: bool = False


@dataclass(frozen=True, slots=True)
class Trace:
    """The figures of one route."""

    functions: int
    files: int
    lines: int
    rooms: int
    file_calls: int
    room_calls: int
    depth: int
    hops: int | None
    """Calls from the door to `index.sync.sync`; None where nothing was compared."""
    before_search: int | None
    """Functions before `search.search` is entered; None where nothing was searched."""
    way: tuple[str, ...] = ()
    """The way to the comparison, from the door on."""


class Tracer:
    """Counts calls in windows; install it before the threads that are to be counted are started."""

    def __init__(self, home: Path) -> None:
        self._home = f"{home}/"
        self._rooms: dict[CodeType, str] = {}
        self._seen: Seen | None = None
        self._way: contextvars.ContextVar[tuple[Seen, tuple[Step, ...]]] = contextvars.ContextVar("way")
        self._last = time.monotonic()
        self._search = _code("pinakes.search", "search")
        self._sync = _code("pinakes.index.sync", "sync")

    def install(self) -> None:
        """From now on in this thread and in those that are started later."""
        _carry_contexts()
        threading.setprofile(self._event)
        sys.setprofile(self._event)

    def begin(self) -> None:
        self._seen = Seen()

    def end(self) -> Trace:
        """Stop counting; the figures since `begin`."""
        seen, self._seen = self._seen, None
        assert seen is not None
        files = {code.co_filename for code in seen.codes}
        hops = None
        if seen.is_synced:
            entry = max((at for at, step in enumerate(seen.way) if step.is_door), default=0)
            hops = len(seen.way) - 1 - entry
            seen.way = seen.way[entry:]
        return Trace(
            functions=_named(seen.codes),
            files=len(files),
            lines=sum(len(Path(file).read_bytes().splitlines()) for file in files),
            rooms=len({self._room(code) for code in seen.codes}),
            file_calls=seen.file_calls,
            room_calls=seen.room_calls,
            depth=seen.depth,
            hops=hops,
            before_search=_named(seen.before_search) if seen.is_searched else None,
            way=tuple(f"{step.code.co_filename.removeprefix(self._home)}:{step.code.co_qualname}" for step in seen.way),
        )

    def settle(self) -> None:
        """Wait until nothing of ours has run for a while."""
        deadline = time.monotonic() + _LONGEST_S
        while (now := time.monotonic()) < self._last + QUIET_S:
            if now > deadline:
                raise TimeoutError(f"after {_LONGEST_S:.0f} s it is still busy")
            time.sleep(QUIET_S / 4)

    def wait_for_sync(self) -> None:
        """Wait until a comparison has begun in this window, and for what follows it."""
        assert self._seen is not None
        deadline = time.monotonic() + _LONGEST_S
        while not self._seen.is_synced:
            if time.monotonic() > deadline:
                raise TimeoutError(f"nothing was compared within {_LONGEST_S:.0f} s")
            time.sleep(QUIET_S / 8)
        self.settle()

    def _room(self, code: CodeType) -> str:
        """The room a function belongs to; "" where it is not ours."""
        if (room := self._rooms.get(code)) is None:
            is_ours = code.co_filename.startswith(self._home) and code.co_flags & inspect.CO_OPTIMIZED
            path = code.co_filename[len(self._home) :]
            room = self._rooms[code] = path.partition("/")[0].removesuffix(".py") if is_ours else ""
        return room

    def _event(self, frame: FrameType, event: str, arg: Any) -> None:
        if event not in ("call", "return") or not (room := self._room(frame.f_code)):
            return
        self._last = time.monotonic()
        if (seen := self._seen) is None:
            return
        own, depth = self._path(frame)
        before = self._inherited(seen)
        # The context holds the whole way of whoever runs: what it inherited, then our functions on its stack.
        above = own[:-1]
        inherited = before[: max(0, len(before) - len(above if event == "call" else own))]
        if event == "return":
            self._way.set((seen, inherited + above))
            return
        way = inherited + own
        self._way.set((seen, way))
        self._count(seen, frame.f_code, room, way[-2].code if len(way) > 1 else None)
        seen.depth = max(seen.depth, depth)
        if frame.f_code is self._sync and not seen.is_synced:
            seen.way, seen.is_synced = way, True

    def _count(self, seen: Seen, code: CodeType, room: str, caller: CodeType | None) -> None:
        seen.is_searched = seen.is_searched or code is self._search
        if not seen.is_searched:
            seen.before_search.add(code)
        seen.codes.add(code)
        if caller is not None and caller.co_filename != code.co_filename:
            seen.file_calls += 1
            seen.room_calls += self._room(caller) != room

    def _inherited(self, seen: Seen) -> tuple[Step, ...]:
        window, way = self._way.get((seen, ()))
        return way if window is seen else ()

    def _path(self, frame: FrameType) -> tuple[tuple[Step, ...], int]:
        """Our functions on the stack, the outermost first, and how many there are with those below an event loop."""
        found: list[Step] = []
        depth = 0
        above: FrameType | None = frame
        is_above_loop = False
        while above is not None:
            if self._room(above.f_code):
                depth += 1
                if not is_above_loop:
                    found.append(Step(above.f_code, is_door=False))
            elif not is_above_loop:
                module = above.f_globals.get("__name__", "")
                if found and module.partition(".")[0] in _FRAMEWORKS:
                    found[-1] = Step(found[-1].code, is_door=True)
                is_above_loop = module == "asyncio.events"
            above = above.f_back
        return tuple(reversed(found)), depth


def _named(codes: set[CodeType]) -> int:
    """How many functions these are; two comprehensions of one function are one."""
    return len({(code.co_filename, code.co_qualname) for code in codes})


def _code(module: str, name: str) -> CodeType:
    function = inspect.unwrap(getattr(importlib.import_module(module), name))
    return function.__code__  # type: ignore[no-any-return]


def _carry_contexts() -> None:
    """Threads and pools go on in the context of whoever handed them their work, as asyncio's and anyio's do."""
    start, submit = threading.Thread.start, ThreadPoolExecutor.submit

    def start_in_context(thread: threading.Thread) -> None:
        context, run = contextvars.copy_context(), thread.run
        thread.run = lambda: context.run(run)  # type: ignore[method-assign]
        start(thread)

    def submit_in_context(pool: ThreadPoolExecutor, work: Any, /, *arguments: Any, **named: Any) -> Any:
        return submit(pool, contextvars.copy_context().run, work, *arguments, **named)

    threading.Thread.start = start_in_context  # type: ignore[method-assign, assignment]
    ThreadPoolExecutor.submit = submit_in_context  # type: ignore[method-assign, assignment]
