"""The commands that ask about the documents: search, map, read, links, history, check, status."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import click
from msgspec.structs import replace

from pinakes.errors import ConfigError, StoreStrange, Unreadable
from pinakes.library import Library
from pinakes.library.everywhere import Opener, search_libraries
from pinakes.own_folder import OwnFolder
from pinakes.records import DOCS, HISTORY, CorpusName, Passage, Results
from pinakes.render import connections_text, files_text, passage_text, picture_svg, results_text, status_text
from pinakes.serve.cli import frame
from pinakes.serve.cli.build import Output, library_command, show, takes
from pinakes.serve.cli.store_place import StorePlace, store_option
from pinakes.serve.requests.corpora import addresses, corpora, other_corpora
from pinakes.serve.requests.parameters import Request
from pinakes.serve.requests.questions import (
    CheckRequest,
    HistoryRequest,
    LinksRequest,
    MapView,
    ReadRequest,
    SearchRequest,
)
from pinakes.serve.requests.revision import asked_library, is_past
from pinakes.serve.requests.status import StatusRequest

_WEB = re.compile(r"https?://", re.IGNORECASE)


def _about(library: Library, request: Request) -> tuple[CorpusName, ...]:
    """The corpora that a question is about; none of them means all documents."""
    others = other_corpora(library, corpora(request), addresses(request))
    return (DOCS, *others) if others else ()


def _search_everywhere(libraries: Mapping[str, Opener], request: SearchRequest) -> Output:
    return _found(search_libraries(libraries, request.record), request)


def _found(found: Results, request: SearchRequest) -> Output:
    text = results_text(found, explain=request.explain, marked=frame.has_faces())
    return Output(found, text, is_found=bool(found.hits))


@library_command(
    "search",
    SearchRequest,
    arguments={"query": "[QUESTION]..."},
    syncs=lambda library, request: request.corpora,
    everywhere=_search_everywhere,
)
def search(library: Library, request: SearchRequest) -> Output:
    """Find the passages that answer QUESTION, by words and by meaning.

    In the question, "a phrase" is required, -word is excluded, and path:, tag:, kind:, lang:, before:, after: are
    filters. Everything else is plain text; write -- before a question that begins with a dash. Exit code 1 when nothing
    is found.

    \b
    Example:
      pinakes search "how are files ignored?"
      pinakes search "path:docs/api rate limit -beta" --explain
      pinakes search "why do we retry?" --corpus all
      pinakes search "how do we deploy?" --library "*"
    """
    return _found(library.search(request.record(library)), request)


@library_command("map", MapView, arguments={"under": "[PART]"}, syncs=_about)
def map(library: Library, request: MapView) -> Output:
    """Show the outline of PART (a folder or document; default: everything): headings, keywords, links.

    --format svg draws the link graph instead.

    \b
    Example:
      pinakes map
      pinakes map docs/api --budget 2000 --focus "how do tokens expire?"
    """
    if request.format == "svg":
        return Output(None, picture_svg(library.layout(request.part)))
    wanted = request.record(library)
    if request.format == "json":
        return Output(library.map(request.part, wanted, focus=request.focus, since=request.since), "")
    drawn = library.map_text(request.part, wanted, focus=request.focus, since=request.since)
    note = f"map {drawn.hash}, {drawn.tokens:,} tokens; --since {drawn.hash} shows what changed from here on"
    return Output(drawn, drawn.text, note="" if request.since else note)


@click.command("read")
@frame.root_option
@store_option
@frame.guarded
@takes(ReadRequest, {"address": "ADDRESS"})
@frame.json_option
@frame.named_option
@frame.sync_option
def read(
    request: ReadRequest, root: Path | None, store: StorePlace | None, *, as_json: bool, do_sync: bool, named: str
) -> None:
    """Print the text at ADDRESS: path, path#anchor, path:12 or path:12-30, or URL#path of a published folder.

    \b
    Example:
      pinakes read docs/guide.md#installation
      pinakes read docs/guide.md:12-30 --plain
      pinakes read https://example.org/docs/#guide/reading.md --first 3
    """
    if _WEB.match(request.address):
        from pinakes.serve.cli.published import published

        show(published(request), as_json=as_json)
        return
    if request.first is not None:
        raise ConfigError("--first works only for published documents.", "Name one: https://…/#guide/reading.md.")
    if named:
        with frame.named_library(named, request, root, store) as (library, asked):
            found = library.read(asked.address)
    else:
        found = _read(request, root, store, do_sync=do_sync)
    text = found.text if request.plain else passage_text(found)
    show(Output(found, text, is_verbatim=request.plain), as_json=as_json)


def _read(request: ReadRequest, root: Path | None, store: StorePlace | None, *, do_sync: bool) -> Passage:
    opened, _ = frame.library(root, store)
    with opened as library:
        if not is_past(request):
            frame.refresh(library, _about(library, request), do_sync=do_sync)
        with asked_library(library, request, frame.progress_bar()) as asked:
            return asked.read(frame.address(asked, request.address))


@library_command("links", LinksRequest, arguments={"address": "ADDRESS"}, syncs=_about)
def links(library: Library, request: LinksRequest) -> Output:
    """Show the links from and to ADDRESS, a document or a section of it.

    Exit code 1 when there are none.

    \b
    Example:
      pinakes links docs/guide.md
      pinakes links docs/guide.md#installation --json
    """
    found = library.links(frame.address(library, request.address))
    return Output(found, connections_text(found), is_found=bool(found.outgoing or found.incoming))


def _commits(library: Library, request: HistoryRequest) -> Sequence[CorpusName] | None:
    """The commits, where there are any or could be."""
    commits = library.corpus(HISTORY)
    return (HISTORY,) if commits.is_indexed or commits.source.exists else None


@library_command("history", HistoryRequest, arguments={"query": "[QUESTION]..."}, syncs=_commits)
def history(library: Library, request: HistoryRequest) -> Output:
    """Find the commits that answer QUESTION; without one, show the newest. Exit code 1 when there are none.

    If QUESTION is a hash or its beginning, show that commit. pinakes read history:HASH prints the whole commit.

    \b
    Example:
      pinakes history "why was the cache removed?" --file "src/**"
      pinakes history --author Ada --after 2026-01-01
    """
    found = request.run(library)
    text = results_text(_titled(found), explain=request.explain, marked=frame.has_faces())
    return Output(found, text, is_found=bool(found.hits))


def _titled(found: Results) -> Results:
    """A hash says nothing to people, so each hit is headed by the commit's day and subject."""
    hits = [replace(hit, trail=(f"{hit.modified[:10]} {hit.title}", *hit.trail)) for hit in found.hits]
    return replace(found, hits=tuple(hits))


@library_command("check", CheckRequest, arguments={"under": "[PART]"}, syncs=_about)
def check(library: Library, request: CheckRequest) -> Output:
    """Check PART (a folder or document; default: everything) for broken links, orphans, contradictions and drift.

    Exit code 0 when there are no errors, 1 when there are. Orphans, contradictions and drift are warnings, which do
    not count unless --strict.

    \b
    Example:
      pinakes check
      pinakes check docs --format github
      pinakes check --only contradiction
      pinakes check --undocumented
      pinakes check --external --exclude https://internal.example/
    """
    from pinakes.check import Severity
    from pinakes.check.findings import as_github, as_text
    from pinakes.check.reports import as_gitlab, as_sarif

    findings = request.run(library, frame.progress_bar())
    if request.sarif:
        _write(Path(request.sarif), as_sarif(findings), library.root)
    written = {"github": as_github, "gitlab": as_gitlab, "sarif": as_sarif}.get(request.format, as_text)
    failing = (Severity.ERROR, Severity.WARNING) if request.strict else (Severity.ERROR,)
    is_bad = any(finding.severity in failing for finding in findings)
    is_data = request.format in ("sarif", "gitlab")
    text = written(findings)
    return Output(findings, text if is_data else text.removesuffix("\n"), is_found=not is_bad, is_verbatim=is_data)


def _write(file: Path, text: str, root: Path) -> None:
    """Write a report. Below the documents and the present folder no link is followed: a repository could bring one that
    leads to a file of the user's."""
    folder = Path(os.path.abspath(file)).parent
    tops = [one for one in (root, Path(os.getcwd())) if one != Path(one.anchor)]
    if not any(folder.is_relative_to(one) for one in tops):
        folder = Path(os.path.realpath(folder))
    top = next((one for one in tops if folder.is_relative_to(one)), None)
    try:
        if top is not None:
            replace(OwnFolder.below(top, folder), is_shared=True).replace(file.name, text.encode(), durable=False)
        else:
            file.write_text(text, encoding="utf-8")
    except StoreStrange as error:
        raise Unreadable(error.problem, "Remove the link, or name another file.") from error
    except OSError as error:
        raise Unreadable(f"{file} cannot be written: {error.strerror}.", "Name a file in a folder of yours.") from error


@library_command("status", StatusRequest, arguments={"path": "[PATHS]..."})
def status(library: Library, request: StatusRequest) -> Output:
    """Show what is indexed and what failed; for PATHS, why each of them is or is not indexed.

    It does not refresh the index first.

    \b
    Example:
      pinakes status
      pinakes status --files
      pinakes status drafts/plan.md
    """
    frame.recover(library)
    if request.path or request.files:
        listed = library.files([frame.address(library, path) for path in request.path])
        return Output(listed, files_text(listed))
    state = library.status()
    return Output(state, status_text(state))
