"""What the server counted, in the text format that Prometheus reads. Our own few lines instead of a package."""

from __future__ import annotations

import re
import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, MutableMapping, Sequence
from contextlib import contextmanager

from pinakes.processors import resident_bytes
from pinakes.records.jobs import QueueState

BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
_LIBRARY = re.compile(r'[{,]library="((?:[^"\\]|\\.)*)"')
_ESCAPED = re.compile(r"\\(.)")
MEDIA = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counts, kept on the event loop alone."""

    def __init__(self, worker: str = "") -> None:
        """`worker` names the process among several, so that the counts of one that begins anew are told apart."""
        self._worker = f'worker="{worker}"' if worker else ""
        self._requests: Counter[tuple[str, str, int]] = Counter()
        self._times: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()
        self._busy = 0

    @contextmanager
    def request(self, scope: MutableMapping[str, object]) -> Iterator[Callable[[int], None]]:
        """Count one request; what is given back is told the status when the answer begins."""
        started = time.perf_counter()
        self._busy += 1

        def seen(status: int) -> None:
            route = getattr(scope.get("route"), "path", "other")
            took = time.perf_counter() - started
            self._requests[route, str(scope["method"])[:10] if route != "other" else "any", status] += 1
            self._times.setdefault(route, [0] * (len(BUCKETS_S) + 1))[bisect_left(BUCKETS_S, took)] += 1
            self._seconds[route] += took  # type: ignore[assignment]

        try:
            yield seen
        finally:
            self._busy -= 1

    def text(self, gauges: Mapping[str, float]) -> str:
        """Everything counted, and `gauges` as they stand."""
        lines = ["# TYPE pinakes_requests_total counter"]
        for (route, method, status), count in sorted(self._requests.items()):
            labels = f'route="{route}",method="{method}",status="{status}"'
            lines.append(f"{self._named('pinakes_requests_total', labels)} {count}")
        lines.append("# TYPE pinakes_answer_seconds histogram")
        for route, counts in sorted(self._times.items()):
            total = 0
            labels = f'route="{route}"'
            for bound, count in zip((*map(str, BUCKETS_S), "+Inf"), counts, strict=True):
                total += count
                bounded = f'{labels},le="{bound}"'
                lines.append(f"{self._named('pinakes_answer_seconds_bucket', bounded)} {total}")
            lines.append(f"{self._named('pinakes_answer_seconds_sum', labels)} {self._seconds[route]:.6f}")
            lines.append(f"{self._named('pinakes_answer_seconds_count', labels)} {total}")
        shown = {
            "pinakes_requests_in_progress": self._busy,
            "process_resident_memory_bytes": resident_bytes(),
            **gauges,
        }
        return "\n".join([*lines, *gauge_lines(shown, self._worker)]) + "\n"

    def _named(self, family: str, labels: str) -> str:
        """A counter with its labels."""
        return _labelled(family, self._worker, labels)


def gauge_lines(gauges: Mapping[str, float], label: str = "") -> list[str]:
    """Gauges as they stand, each with its own labels and one more."""
    lines: list[str] = []
    for name, value in gauges.items():
        family, _, labels = name.partition("{")
        if (kind := f"# TYPE {family} gauge") not in lines:
            lines.append(kind)
        written = f"{value:g}" if isinstance(value, float) else value
        lines.append(f"{_labelled(family, label, labels.removesuffix('}'))} {written}")
    return lines


def queue_gauges(queue: QueueState) -> Mapping[str, float]:
    """The queue of a database. It is one for all processes, so no label names one."""
    found: dict[str, float] = {
        "pinakes_workers": len(queue.workers),
        'pinakes_jobs{state="waiting"}': queue.waiting,
        'pinakes_jobs{state="running"}': queue.running,
        'pinakes_jobs{state="aside"}': len(queue.set_aside),
    }
    for (library, kind), count in Counter((one.library, one.kind) for one in queue.set_aside).items():
        found[f'pinakes_jobs_set_aside{{library="{library}",kind="{kind}"}}'] = count
    return found


def _labelled(family: str, *labels: str) -> str:
    every = ",".join(filter(None, labels))
    return f"{family}{{{every}}}" if every else family


def visible(text: str, sees: Callable[[str], bool]) -> str:
    """A text without the counts of libraries that are not there for who asks."""
    lines = text.splitlines(keepends=True)
    return "".join(
        line for line in lines if (named := _LIBRARY.search(line)) is None or sees(_ESCAPED.sub(_plain, named[1]))
    )


def label(text: str) -> str:
    """A text as it stands between the quotes of a label."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")


def _plain(escaped: re.Match[str]) -> str:
    return "\n" if escaped[1] == "n" else escaped[1]


def merged(texts: Sequence[str]) -> str:
    """The counts of several processes as one text: what has one name stands together, as the format asks."""
    families: dict[str, list[str]] = {}
    for text in texts:
        kind = ""
        for line in text.splitlines():
            if line.startswith("# TYPE "):
                kind = line
                families.setdefault(kind, [])
            else:
                families[kind].append(line)
    return "".join(f"{line}\n" for kind, lines in families.items() for line in (kind, *lines))
