"""One contender in a process of its own, so that its start, its memory and its threads are its own.

`python -m benchmarks.search.child build NAME SHELF` builds an index and says what it took.
`python -m benchmarks.search.child ask NAME SHELF QUESTIONS` opens one, asks once, says so, and then does what each line
on stdin says: ``alone`` asks every question once, ``together`` lets several threads ask, ``memory`` tells what is held.
Every answer is a line of JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.search.shelf import Ask, Shelf

CALLERS = 8


def build(name: str, shelf: Shelf) -> dict[str, float]:
    from benchmarks.child import peak_bytes
    from benchmarks.search import ours
    from benchmarks.search.contenders import BUILDERS

    started = time.perf_counter()
    told = {"pinakes": ours.build, "passages": ours.write_passages}
    if name in told:
        took = told[name](shelf)
    else:
        BUILDERS[name](shelf)
        took = {}
    return {"seconds": time.perf_counter() - started, "peak_bytes": peak_bytes(), **took}


def listen(ask: Ask, questions: Sequence[str]) -> None:
    answers = {"alone": _alone, "together": _together, "memory": _memory}
    for line in sys.stdin:
        _tell(answers[line.strip()](ask, questions))


def _alone(ask: Ask, questions: Sequence[str]) -> dict[str, object]:
    seconds, found = [], 0
    for question in questions:
        started = time.perf_counter()
        found += ask(question)
        seconds.append(time.perf_counter() - started)
    return {"seconds": seconds, "found": found / len(questions)}


def _together(ask: Ask, questions: Sequence[str]) -> dict[str, object]:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(CALLERS) as pool:
        started = time.perf_counter()
        for _ in pool.map(ask, questions):
            pass
        return {"rate": len(questions) / (time.perf_counter() - started)}


def _memory(ask: Ask, questions: Sequence[str]) -> dict[str, object]:
    from pinakes.processors import resident_bytes

    return {"resident_bytes": resident_bytes()}


def _tell(answer: dict[str, object]) -> None:
    print(json.dumps(answer), flush=True)


def main(arguments: Sequence[str]) -> None:
    work, name, place = arguments[0], arguments[1], Shelf(Path(arguments[2]))
    if work == "build":
        _tell(dict(build(name, place)))
        return
    from benchmarks.search.contenders import CONTENDERS
    from pinakes.serve.allocator import share_heap

    share_heap()  # as servers do, which alone have eight callers; the same for everybody
    questions: list[str] = json.loads(Path(arguments[3]).read_text(encoding="utf-8"))
    ask = CONTENDERS[name].open(place)
    ask(questions[0])
    _tell({"ready": True})
    listen(ask, questions)


if __name__ == "__main__":
    main(sys.argv[1:])
