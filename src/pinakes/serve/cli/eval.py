"""`pinakes eval`: how well questions with known answers are answered."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import click
from msgspec.structs import replace

from pinakes.config import change_user_setting
from pinakes.errors import ConfigError, StoreReadOnly
from pinakes.evaluation.questions import as_line
from pinakes.evaluation.report import as_data, as_run, as_text, tuned_text, variants_data, variants_text
from pinakes.evaluation.sets import QuestionSet, kept_place, open_set
from pinakes.evaluation.tuning import ablate, leaving_out, tune
from pinakes.library import Library, open_library
from pinakes.records import Query
from pinakes.search import PROFILES, parts
from pinakes.serve.cli import frame, later
from pinakes.serve.cli.build import Output, show
from pinakes.serve.cli.store_place import StorePlace, store_option

DEPTH = 50
"""Hits asked for: ten pages may need more than ten sections, and so may 2,000 tokens."""
TUNED_DEPTH = 15
"""What is tuned is judged by the first ten, and asked some hundred times."""


@click.command("eval")
@click.argument("place", metavar="[SET]", required=False, type=click.Path(exists=True, path_type=Path))
@frame.root_option
@store_option
@click.option("--profile", type=click.Choice(list(PROFILES)), help="The steps of the search. Default: as configured.")
@click.option("--embedder", help="The embedder to measure: static, docs or a model's folder. Default: as configured.")
@click.option("--limit", type=click.IntRange(1, 100), help=f"Hits asked for. Default: {DEPTH}.")
@click.option("--self", "from_itself", is_flag=True, help="Make the questions from the documents themselves.")
@click.option("--save", type=click.Path(path_type=Path), help="Write the questions to this file, as JSON lines.")
@click.option("--run", "run_file", type=click.Path(path_type=Path), help="Write the hits to this file, as JSON lines.")
@click.option("--ablate", "do_ablate", is_flag=True, help="Leave out each part of the profile in turn.")
@click.option(
    "--tune",
    "do_tune",
    is_flag=True,
    help="Try other weights; keep those that are better on both halves of the questions.",
)
@click.option("--write", is_flag=True, help="With --tune: write these weights into your own configuration.")
@frame.json_option
@frame.guarded
def command(
    place: Path | None,
    root: Path | None,
    store: StorePlace | None,
    profile: str | None,
    embedder: str | None,
    limit: int | None,
    from_itself: bool,
    save: Path | None,
    run_file: Path | None,
    do_ablate: bool,
    do_tune: bool,
    write: bool,
    as_json: bool,
) -> None:
    """Ask the questions of SET and compare the hits with the known answers.

    SET is a folder with corpus/ and queries.jsonl, a folder in the format of BEIR, or a file of questions about the
    library at --root. The index of a set's corpus is kept in your cache folder, never in the set. With --self,
    the questions are made from the documents: of SET, or of the library when there is none.

    \b
    Example:
      pinakes eval my-set
      pinakes eval eval.jsonl --root docs --profile fast
      pinakes eval --self --ablate
    """
    if place is None and not from_itself:
        raise click.UsageError("Name a SET of questions, or use --self to make questions from the documents.")
    if do_ablate and do_tune:
        raise click.UsageError("Choose one of --ablate and --tune.")
    if write and not do_tune:
        raise click.UsageError("--write needs --tune.")
    question_set = open_set(place, None if isinstance(store, str) else store) if place else QuestionSet(None, ())
    with _opened(question_set, place, root, store, embedder, from_itself=from_itself) as library:
        _prepare(library)
        if from_itself:
            question_set = replace(question_set, questions=library.questions())
        if save:
            _write(save, map(as_line, question_set.questions))
        options, questions = library.config.search, question_set.questions
        depth = limit or (TUNED_DEPTH if do_tune else DEPTH)
        like = Query("", limit=depth, profile=profile or options.profile)
        evaluate = partial(library.eval, like=like, level=question_set.level, on_progress=frame.counter("questions"))
        if do_tune:
            tuned = tune(library.config.weights, questions, lambda weights, some: evaluate(some, weights=weights))
            for name, value in tuned.kept().items() if write else ():
                frame.warn(f"weights.{name} = {value:g} written to {change_user_setting(f'weights.{name}', value)}")
            output = Output(tuned, tuned_text(tuned))
        else:
            left_out = parts(like.profile) if do_ablate else ()
            variants = ablate(left_out, lambda left: evaluate(questions, options=leaving_out(options, left)))
            found = variants[0].evaluation
            for missing in found.missing():  # the figures are those of the rest
                frame.warn(missing)
            if run_file and not do_ablate:
                _write(run_file, as_run(found))
            output = Output(as_data(found), as_text(found))
            if do_ablate:
                output = Output(variants_data(variants), variants_text(variants))
    show(output, as_json=as_json)


def _opened(
    question_set: QuestionSet,
    place: Path | None,
    root: Path | None,
    store: StorePlace | None,
    embedder: str | None,
    *,
    from_itself: bool,
) -> Library:
    """The library the questions are about: that of the set, or the one that was named."""
    if question_set.root is not None and root is not None:
        raise ConfigError("The set has a corpus of its own.", "Leave --root out, or name the file of questions alone.")
    if question_set.root is None and not embedder:
        return frame.library(root, store)[0]
    # With another embedder the library's own index must stay as it is.
    home = question_set.root or frame.library(root, store)[0].root
    name = "".join(sign if sign.isalnum() else "-" for sign in embedder or "own")
    kept: dict[str, object] = {
        "store": (store if isinstance(store, Path) else kept_place(place or home)) / f"index-{name}"
    }
    if isinstance(store, str):
        kept |= {"store.url": store, "store.library": f"{kept_place(place or home).name} {name}"}
    return open_library(home, {**kept, "keywords.enabled": from_itself, "neural.model": embedder})


def _write(file: Path, lines: Iterable[str]) -> None:
    """Lines of JSON. Halves of characters, from odd names of files, are spelled as JSON spells them."""
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8", errors="backslashreplace")


def _prepare(library: Library) -> None:
    """Everything that answers must be whole, or something else would be measured: no vectors that are still to come."""
    try:
        with later.alone(library):
            library.sync(progress=frame.progress_bar())
    except StoreReadOnly:
        frame.refresh(library, do_sync=False)
