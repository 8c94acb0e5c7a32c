"""From what `pinakes serve` was asked for to the processes that do it."""

from __future__ import annotations

import socket
from collections.abc import Callable
from functools import partial

from pinakes.serve.allocator import share_heap
from pinakes.serve.descriptors import raise_limit
from pinakes.serve.http.connections import most_connections
from pinakes.serve.workers.children import Child
from pinakes.serve.workers.settings import ServerSettings
from pinakes.serve.workers.supervisor import Supervisor
from pinakes.serve.workers.worker import run_worker
from pinakes.serve.workers.writer import run_writer


def serve_by_many(
    listening: socket.socket, workers: int, settings: ServerSettings, say_serving: Callable[[], None]
) -> int:
    """Serve by so many workers and a writer until SIGTERM or SIGINT; returns the exit code."""
    share_heap()  # the others are forked from here
    most = most_connections(settings.options.limits, raise_limit(), workers)
    start = partial(run_worker, settings), partial(_write, settings)
    return Supervisor(listening, workers, *start, say_serving, most).run()


def _write(settings: ServerSettings, child: Child) -> None:
    run_writer(child, settings.libraries(), settings.options.freshness)
