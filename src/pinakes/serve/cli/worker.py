"""`pinakes worker`: do the work for the libraries of a database."""

from __future__ import annotations

import signal
import sys
from contextlib import closing, suppress
from types import FrameType

import click

from pinakes.errors import ConfigError
from pinakes.library.named import database_url
from pinakes.library.queued.worker import JobReport, JobResult, QueueWorker
from pinakes.postgres import shared_database, without_password
from pinakes.render import safe, wire
from pinakes.serve.cli import frame
from pinakes.serve.cli.store_place import database_option


@click.command("worker")
@database_option
@click.option("--once", is_flag=True, help="End when nothing waits any more.")
@frame.json_option
@frame.guarded
def command(url: str, once: bool, as_json: bool) -> None:
    """Fetch, index and embed the libraries of a PostgreSQL database, one job after another; Ctrl-C ends it.

    Start as many as there is work for, on any machine with git. One line is printed for each job.

    \b
    Example:
      pinakes worker --store postgresql://ada@localhost/pinakes
      pinakes worker --once --json
    """
    url = database_url(url)
    if not url:
        raise ConfigError("There is no database to work for.", "Name it with --store or PINAKES_STORE_URL.")
    _end_on(signal.SIGTERM)

    def tell(report: JobReport) -> None:
        if as_json:
            frame.echo_json(wire(report))
        else:
            frame.echo(_line(report))
        sys.stdout.flush()

    with closing(QueueWorker(shared_database(url))) as worker, suppress(KeyboardInterrupt):
        if once:
            worker.run_once(tell, frame.progress_bar())
            return
        frame.warn(f"worker {worker.name} listens at {without_password(url)}; Ctrl-C ends it")
        worker.run(tell, frame.warn, frame.progress_bar())
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
    frame.warn("The worker ended; what it was doing is left to others.")


def _end_on(number: int) -> None:
    def end(number: int, stack: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(number, end)


def _line(report: JobReport) -> str:
    reason = "" if report.result is JobResult.DONE else f": {report.reason}"
    return safe(f"{report.library} {report.kind} {report.result} in {report.seconds:.2f} s{reason}")
