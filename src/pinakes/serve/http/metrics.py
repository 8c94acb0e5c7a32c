"""What the server counted, in the text format that Prometheus reads. Our own few lines instead of a package."""

from __future__ import annotations

import time
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager

from pinakes.processors import resident_bytes

BUCKETS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)
MEDIA = "text/plain; version=0.0.4; charset=utf-8"


class Metrics:
    """Counts, kept on the event loop alone."""

    def __init__(self) -> None:
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
            lines.append(f'pinakes_requests_total{{route="{route}",method="{method}",status="{status}"}} {count}')
        lines.append("# TYPE pinakes_answer_seconds histogram")
        for route, counts in sorted(self._times.items()):
            total = 0
            for bound, count in zip((*map(str, BUCKETS_S), "+Inf"), counts, strict=True):
                total += count
                lines.append(f'pinakes_answer_seconds_bucket{{route="{route}",le="{bound}"}} {total}')
            lines.append(f'pinakes_answer_seconds_sum{{route="{route}"}} {self._seconds[route]:.6f}')
            lines.append(f'pinakes_answer_seconds_count{{route="{route}"}} {total}')
        shown = {
            "pinakes_requests_in_progress": self._busy,
            "process_resident_memory_bytes": resident_bytes(),
            **gauges,
        }
        for name, value in shown.items():
            family = name.partition("{")[0]
            if (kind := f"# TYPE {family} gauge") not in lines:
                lines.append(kind)
            lines.append(f"{name} {value:g}" if isinstance(value, float) else f"{name} {value}")
        return "\n".join(lines) + "\n"
