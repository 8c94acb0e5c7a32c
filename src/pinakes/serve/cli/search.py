"""`pinakes search`: ranked passages for a question, each with its address."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.records import ADDED, Detail, Filter, Kind, Query
from pinakes.render import dumps, results_text, wire
from pinakes.search import PROFILES
from pinakes.serve.cli import frame


@click.command("search")
@click.argument("question", nargs=-1, required=True)
@frame.root_option
@frame.store_option
@click.option("--limit", type=click.IntRange(1, 100), help="At most this many hits. Default: 10.")
@click.option("--path", "paths", multiple=True, help="Only below this folder, or where this glob matches; repeatable.")
@click.option(
    "--corpus",
    "corpora",
    multiple=True,
    help="Ask docs, docs@NAME (a further root), memories, history, added or all; repeatable. Default: all documents.",
)
@click.option("--tag", "tags", multiple=True, help="Only documents with this tag; repeatable, all must be there.")
@click.option(
    "--kind", "kinds", multiple=True, type=click.Choice([kind.value for kind in Kind]), help="Only this kind."
)
@click.option("--lang", "languages", multiple=True, help="Only sections with code in this language.")
@click.option("--author", default="", help="Only documents by this author.")
@click.option("--after", default="", help="Only documents dated on or after this day (2026-01-31).")
@click.option("--before", default="", help="Only documents dated before this day.")
@click.option("--hypothesis", default="", help="Your guess of the answer; meaning is searched by it instead.")
@click.option("--profile", type=click.Choice(list(PROFILES)), help="How thoroughly to look. Default: balanced.")
@click.option("--category", "categories", multiple=True, help="Only documents of this category; repeatable.")
@click.option("--linked-to", metavar="ADDRESS", help="Only sections that link to this document or section.")
@click.option("--project", default="", help="Only documents added to this project.")
@click.option("--max-tokens", type=click.IntRange(min=0), default=0, help="At most this many tokens of text in all.")
@click.option(
    "--detail",
    type=click.Choice([detail.value for detail in Detail]),
    default=Detail.SECTION.value,
    help="How much of each hit: its address, its best passage, or the section (default).",
)
@click.option("--pack", is_flag=True, help="The fewest passages that cover the question, in reading order.")
@click.option("--diverse", is_flag=True, help="Prefer hits that differ from each other.")
@click.option("--min-score", type=click.FloatRange(min=0), default=0.0, help="Leave out what scores less.")
@click.option("--anyway", is_flag=True, help="Show the nearest even when nothing seems to answer.")
@click.option("--explain", is_flag=True, help="Show each hit's votes and what every stage did.")
@frame.json_option
@frame.sync_option
@frame.guarded
def command(
    question: tuple[str, ...],
    root: Path | None,
    store: Path | None,
    limit: int | None,
    paths: tuple[str, ...],
    corpora: tuple[str, ...],
    tags: tuple[str, ...],
    kinds: tuple[str, ...],
    languages: tuple[str, ...],
    author: str,
    after: str,
    before: str,
    hypothesis: str,
    profile: str | None,
    categories: tuple[str, ...],
    linked_to: str | None,
    project: str,
    max_tokens: int,
    detail: str,
    pack: bool,
    diverse: bool,
    min_score: float,
    anyway: bool,
    explain: bool,
    as_json: bool,
    do_sync: bool,
) -> None:
    """Find the passages that answer QUESTION, by words and by meaning.

    In the question itself, "a phrase" must be there, -word must not, and path:, tag:, kind:, lang:, before:, after: are
    filters. Anything else is just text; write -- before a question that begins with a dash. Exit code 1 when nothing is
    found.

    \b
    Example:
      pinakes search "how are files ignored?"
      pinakes search "path:docs/api rate limit -beta" --explain
      pinakes search "why do we retry?" --corpus all
    """
    opened, _ = frame.library(root, store)
    with opened as library:
        frame.fresh(library, (ADDED,) if project else corpora, do_sync=do_sync)
        where = Filter(
            corpora=corpora,
            paths=paths,
            tags=tags,
            kinds=tuple(Kind(kind) for kind in kinds),
            categories=categories,
            languages=languages,
            author=author,
            after=after,
            before=before,
            linked_to=library.locate(linked_to) if linked_to else None,
            project=project,
        )
        options = library.config.search
        query = Query(
            " ".join(question),
            where,
            limit=limit or options.limit,
            profile=profile or options.profile,
            hypothesis=hypothesis,
            max_tokens=max_tokens,
            detail=Detail(detail),
            pack=pack,
            diverse=diverse,
            min_score=min_score,
            abstain=not anyway,
        )
        found = library.search(query)
    frame.echo(dumps(wire(found)) if as_json else results_text(found, explain=explain, marked=frame.has_faces()))
    if not found.hits:
        raise SystemExit(frame.NOTHING)
