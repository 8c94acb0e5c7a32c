"""`pinakes eval`: how well questions with known answers are answered."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import click

from pinakes.errors import ConfigError
from pinakes.evaluation import QuestionSet, kept_place, open_set
from pinakes.evaluation.report import as_data, as_run, as_text
from pinakes.library import Library, open_library
from pinakes.records import Query
from pinakes.render import dumps, wire
from pinakes.search import PROFILES
from pinakes.serve.cli import frame

DEPTH = 50
"""Hits asked for: ten pages may need more than ten sections, and so may 2,000 tokens."""


@click.command("eval")
@click.argument("place", metavar="SET", type=click.Path(exists=True, path_type=Path))
@frame.root_option
@frame.store_option
@click.option("--profile", type=click.Choice(list(PROFILES)), help="Which steps are taken. Default: as configured.")
@click.option("--embedder", help="The embedder to measure: static, minilm or a model's folder. Default: as configured.")
@click.option("--limit", type=click.IntRange(1, 100), default=DEPTH, help=f"Hits asked for. Default: {DEPTH}.")
@click.option(
    "--run", "run_file", type=click.Path(path_type=Path), help="Write what was found to this file, as JSON lines."
)
@frame.json_option
@frame.guarded
def command(
    place: Path,
    root: Path | None,
    store: Path | None,
    profile: str | None,
    embedder: str | None,
    limit: int,
    run_file: Path | None,
    as_json: bool,
) -> None:
    """Ask the questions of SET and compare what is found with what is known to be right.

    SET is a folder with corpus/ and queries.jsonl, a folder in the format of BEIR, or a file of questions about the
    library at --root. The index of a set's corpus is kept in your cache folder, never in the set.

    \b
    Example:
      pinakes eval my-set
      pinakes eval eval.jsonl --root docs --profile fast
    """
    kept = store or kept_place(place)
    held = open_set(place, kept)
    with _opened(held, root, store, kept, embedder) as library:
        frame.fresh(library, do_sync=True)
        like = Query("", limit=limit, profile=profile or library.config.search.profile)
        found = library.eval(held.questions, like, level=held.level, told=counting())
    if run_file:
        run_file.write_text("".join(f"{line}\n" for line in as_run(found)), encoding="utf-8")
    frame.echo(dumps(wire(as_data(found))) if as_json else as_text(found))


def _opened(held: QuestionSet, root: Path | None, store: Path | None, kept: Path, embedder: str | None) -> Library:
    """The library the questions are about: that of the set, or the one that was named."""
    if held.root is None and not embedder:
        return frame.library(root, store)[0]
    if held.root is None:
        home = frame.library(root, store)[0].root  # another embedder must not take the place of the index's own
    elif root is not None:
        raise ConfigError("The set has a corpus of its own.", "Leave --root out, or name the file of questions alone.")
    else:
        home = held.root
    arguments = {
        "store": kept / f"index-{_safe(embedder or 'own')}",
        "keywords.enabled": False,
        "keywords.model": embedder,
    }
    return open_library(home, arguments)


def _safe(name: str) -> str:
    return "".join(sign if sign.isalnum() else "-" for sign in name)


def counting() -> Callable[[int, int], None]:
    """A counter on stderr, on a terminal only."""
    if sys.stderr is None or not sys.stderr.isatty():
        return lambda done, total: None

    def show(done: int, total: int) -> None:
        click.echo(f"\r\x1b[K{done} of {total} questions" if done < total else "\r\x1b[K", nl=False, err=True)

    return show
