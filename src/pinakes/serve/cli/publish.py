"""`pinakes publish`: the library as static files."""

from __future__ import annotations

import re
from pathlib import Path

import click

from pinakes.errors import ConfigError, ExtraMissing, ModelFailed, StoreBusy, StoreReadOnly
from pinakes.library import Library, ask_published
from pinakes.publish import PublishOptions
from pinakes.records import DOCS, Results
from pinakes.records.publish import Published, Tried
from pinakes.render import results_text, safe
from pinakes.serve.cli import frame, later
from pinakes.serve.cli.build import Output, with_library

_SHOWN = 10
"""Files that are named; the others are counted."""


@click.command("publish")
@click.argument("out", type=click.Path(path_type=Path))
@click.option(
    "--base-url", default="", metavar="URL", help="The address where OUT will be served. Default: links are relative."
)
@click.option("--topic", "topics", multiple=True, metavar="FOLDER", help="Only this folder. Repeatable.")
@click.option("--chunk-tokens", default="250-750", metavar="MIN-MAX", help="How long chunks are. Default: 250-750.")
@click.option(
    "--prompts",
    is_flag=False,
    flag_value="",
    default=None,
    type=click.Path(path_type=str),
    metavar="[SET]",
    help="Publish hashes of questions, from qa-pairs.md or from a set as `pinakes eval` reads. Experimental.",
)
@click.option(
    "--try",
    "question",
    default="",
    metavar="QUESTION",
    help="Look the question up in the hashes in OUT; search if they do not know it.",
)
@click.option("--title", default="", metavar="TEXT", help="What the site is called. Default: the title of its README.")
@click.option(
    "--logo",
    default="",
    type=click.Path(path_type=str),
    metavar="FILE",
    help="A picture before the title on each page.",
)
@click.option("--no-pages", is_flag=True, help="Write no pages for people: only what programs read, and the search.")
@click.option("--no-full-text", is_flag=True, help="Leave llms-full.txt out, which holds all of the text.")
@click.option(
    "--compress",
    "is_compressed",
    is_flag=True,
    help="Write each text compressed, too, for servers that send such files.",
)
@frame.sync_option
@with_library
def command(
    library: Library,
    out: Path,
    base_url: str,
    topics: tuple[str, ...],
    chunk_tokens: str,
    prompts: str | None,
    question: str,
    title: str,
    logo: str,
    no_pages: bool,
    no_full_text: bool,
    is_compressed: bool,
    do_sync: bool,
) -> Output:
    """Write the library into the folder OUT as static files: a site of pages with a search, and indexes for programs.

    It writes only files that changed. A folder that was not published before must be empty, and files that Pinakes did
    not write are never touched.

    \b
    Example:
      pinakes publish site
      pinakes publish site --base-url https://example.org/docs/ --title "The lighthouse" --logo lamp.svg
    """
    options = PublishOptions(
        *_sizes(chunk_tokens),
        base_url,
        topics,
        title=title,
        logo=logo,
        has_pages=not no_pages,
        has_full_text=not no_full_text,
        is_compressed=is_compressed,
    )
    tried = ask_published(out, question) if question else None
    if tried is not None and tried.chunks:
        return _tried(tried, None)
    if do_sync or not library.is_indexed:
        _bring_up_to_date(library)
    if tried is not None:
        return _tried(tried, library.search(question))
    chosen = None if prompts is None else Path(prompts)
    result = library.publish(out, options, prompts=chosen, progress=frame.progress_bar())
    for note in result.notes:
        frame.warn(note)
    if result.left_out:
        frame.warn(_left_out(result))
    if result.kept:
        frame.warn(_in_the_way(result))
    return Output(result, _text(result), is_found=not result.kept)


def _bring_up_to_date(library: Library) -> None:
    """With all keywords and vectors, since what is published is there for a while; where another process makes them
    already, it is waited for."""
    try:
        with later.alone(library):
            library.sync(corpora=(DOCS,), progress=frame.progress_bar())
    except (StoreBusy, StoreReadOnly) as trouble:
        frame.warn(f"{trouble.problem} The index was published as it was before.")
    except (ExtraMissing, ModelFailed) as trouble:  # the documents are indexed by then
        frame.warn(f"{trouble} What is published has no new keywords.")


def _sizes(typed: str) -> tuple[int, int]:
    found = re.fullmatch(r"\s*(\d{1,7})\s*[-–]\s*(\d{1,7})\s*", typed, re.ASCII)
    if not found:
        raise ConfigError(f"“{typed}” is not a range of tokens.", "Write it as 250-750.")
    return int(found[1]), int(found[2])


def _text(result: Published) -> str:
    changed = f"{len(result.written):,} written, {len(result.removed):,} removed, {result.unchanged:,} unchanged"
    site = f"{result.pages:,} pages and {result.files:,} other files; " if result.pages else ""
    return (
        f"{safe(result.folder)}: {result.documents:,} documents in {result.topics:,} topics, {result.chunks:,} chunks"
        f" ({safe(result.similarity)})\n{site}{changed}; {result.seconds:.2f} s"
    )


def _left_out(result: Published) -> str:
    named = "; ".join(f"{one.name}: {one.reason}" for one in result.left_out[:_SHOWN])
    more = f" (and {len(result.left_out) - _SHOWN} more)" if len(result.left_out) > _SHOWN else ""
    return f"Files that documents link to were not copied. {named}{more} files.json names all."


def _in_the_way(result: Published) -> str:
    named = ", ".join(result.kept[:_SHOWN])
    more = f" and {len(result.kept) - _SHOWN} more" if len(result.kept) > _SHOWN else ""
    return (
        f"Not published, because somebody else wrote or changed these files in {result.folder}: {named}{more}. "
        "Move them away and publish again."
    )


def _tried(tried: Tried, results: Results | None) -> Output:
    """What the hashes answer, or else a search."""
    if results is not None:
        text = f"The hashes do not know this question; search says:\n\n{results_text(results, explain=False)}"
    else:
        lines = [f"{safe(one.href)}  {safe(one.title or '')}" for one in tried.chunks]
        text = f"The hashes know this question ({tried.distance} of 64 bits differ):\n\n" + "\n".join(lines)
    return Output({"tried": tried, "results": results}, text)
