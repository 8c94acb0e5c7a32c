"""`pinakes bench`: how fast this library answers, and what it takes."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.evaluation.speed import MOST, Pace, cold_start, footprint, measure_speed, open_questions, pace_text, sample
from pinakes.evaluation.verdicts import asked_like
from pinakes.library import Library
from pinakes.records import Query
from pinakes.search import PROFILES
from pinakes.serve.cli import frame
from pinakes.serve.cli.build import Output, with_library


@click.command("bench")
@click.argument("place", metavar="[QUESTIONS]", required=False, type=click.Path(exists=True, path_type=Path))
@click.option("--profile", type=click.Choice(list(PROFILES)), help="The steps of the search. Default: as configured.")
@click.option("--rounds", type=click.IntRange(1, 1000), default=3, help="How often each question is asked. Default: 3.")
@frame.sync_option
@with_library
def command(library: Library, place: Path | None, profile: str | None, rounds: int, do_sync: bool) -> Output:
    """Measure how long your library takes to answer: in all, by stage, with one caller and with eight.

    QUESTIONS is a file with one question per line, or a set as for pinakes eval. Default: made from the documents, the
    same ones each time. Also measured: a fresh process, memory, and sizes on disk. It does not judge the hits.

    \b
    Example:
      pinakes bench
      pinakes bench questions.txt --profile fast --rounds 10
    """
    frame.refresh(library, do_sync=do_sync)
    like = Query("", limit=library.config.search.limit, profile=profile or library.config.search.profile)
    questions = open_questions(place) if place else sample(library.questions(), MOST)
    count = frame.counter("answers")
    speed = measure_speed(questions, lambda one: library.search(asked_like(one, like)), rounds, count)
    for one in speed.missing:
        frame.warn(one)
    where = ["--root", str(library.root), "--store", str(library.config.store), "--profile", like.profile]
    pace = Pace(
        like.profile,
        speed,
        cold_start([*where, "--no-sync"], questions),
        cold_start(where, questions),
        footprint(library.config.store),
        made_questions=place is None,
    )
    return Output(pace, pace_text(pace))
