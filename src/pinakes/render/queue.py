"""The queue of a database in words: who works, what waits, and what was set aside and why."""

from __future__ import annotations

from pinakes.records.jobs import QueueState, SetAside
from pinakes.render.text import safe


def queue_text(queue: QueueState) -> str:
    """A line on the whole, and one for each job that was set aside."""
    workers = "1 worker" if len(queue.workers) == 1 else f"{len(queue.workers)} workers"
    waiting = "1 job waits" if queue.waiting == 1 else f"{queue.waiting:,} jobs wait"
    running = "1 is being done" if queue.running == 1 else f"{queue.running:,} are being done"
    line = f"{workers}; {waiting}, {running}"
    return "\n".join([line, *map(set_aside_text, queue.set_aside)])


def set_aside_text(one: SetAside) -> str:
    """One that was set aside, with its reason and what to do."""
    times = "once" if one.attempts == 1 else f"{one.attempts} times"
    return safe(f"set aside: {one.kind} of {one.library}, tried {times}: {one.reason} {one.next_step}".rstrip())
