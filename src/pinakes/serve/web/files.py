"""What is indexed, what failed and why, how far a reading under way has come, and the documents that were added.

A status, files, added documents and the last progress enter; markup leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from pinakes.html.markup import Markup, join, tag, text
from pinakes.records import Event, Failure, FileState, FileStatus, Phase, Status, Upgrade
from pinakes.records.added import AddedDocument
from pinakes.render import upgrade_text
from pinakes.serve.web.frame import state
from pinakes.serve.web.places import Places

_MOST = 1000
_DOING = {
    Phase.SCANNING: "Looking at the folder",
    Phase.READING: "Reading documents",
    Phase.LINKING: "Following links",
    Phase.EMBEDDING: "Learning what passages mean",
    Phase.KEYWORDS: "Finding keywords",
    Phase.FINISHING: "Finishing",
}
_LABELS = {
    FileState.INDEXED: "indexed",
    FileState.FAILED: "failed",
    FileState.ASSET: "known, not read",
    FileState.LEFT_OUT: "left out",
}


def progress_html(
    event: Event | None, places: Places, *, generation: int | None = None, is_read: bool = True, is_quiet: bool = False
) -> Markup:
    """How far a reading has come; the page's script keeps it up to date. A quiet one is seen only while one goes on.

    `generation` is that of the index which the page shows: when the index has another one, the script loads the page
    again.
    """
    words, bar = "Nothing is being read at the moment." if is_read else "Looking at the folder …", None
    if event is not None:
        doing = _DOING[event.phase]
        words = f"{doing}: {event.done:,} of {event.total:,}" if event.total else f"{doing} …"
        bar = tag("progress", max=event.total or None, value=event.done if event.total else None, aria_label=doing)
    return tag(
        "div",
        tag("p", words, role="status"),
        bar,
        class_="progress quiet" if is_quiet else "progress",
        data_progress=places.view("progress.json"),
        data_unread=not is_read,
        data_generation=generation,
        data_busy="yes" if event is not None or not is_read else None,
    )


def is_shown(upgrade: Upgrade | None) -> bool:
    """Whether a finer model is on its way: not when it is through, and not where it cannot be had."""
    return upgrade is not None and upgrade.done < upgrade.total and not upgrade.problem


def upgrade_html(upgrade: Upgrade | None) -> Markup | None:
    """How far a finer model has come, on a thin line; the page's script keeps it up to date and takes it away."""
    if upgrade is None or not is_shown(upgrade):
        return None
    bar = tag("progress", max=upgrade.total, value=upgrade.done, aria_label="Passages that the finer model knows")
    return tag("div", tag("p", upgrade_text(upgrade)), bar, class_="progress", data_upgrade=True)


def unread_html(event: Event | None, places: Places, root: str) -> Markup:
    """Nothing is indexed yet: what happens now, and that the page will go on by itself."""
    again = tag("p", tag("a", "Look again", href=""), " — with scripts this page goes on by itself.", class_="quiet")
    first = tag("p", "The documents in ", tag("code", root), " are being read for the first time.")
    return state("Nothing is indexed yet", first, progress_html(event, places, is_read=False), again)


def files_html(
    status: Status, files: Sequence[FileStatus], event: Event | None, places: Places, added: Markup | None = None
) -> Markup:
    """The view of files: counts, progress, failures first, what was added, then every file."""
    counts = status.counts
    size = f"{status.store_bytes / 1e6:.1f} MB, " if status.store_bytes else ""  # of a database nobody knows it
    facts = (
        ("documents", f"{counts.documents:,}"),
        ("sections", f"{counts.sections:,}"),
        ("links", f"{counts.links:,}"),
        ("other files", f"{counts.assets:,}"),
        ("failed", f"{len(status.all_failures):,}"),
        ("keywords", status.keywords),
        ("meaning", status.embedder),
        ("root", status.root),
        ("index", f"{status.store} ({size}generation {status.generation})"),
    )
    rows = [join(tag("dt", name), tag("dd", said)) for name, said in facts]
    return join(
        tag("h1", "Files"),
        progress_html(event, places, generation=status.generation),
        upgrade_html(status.upgrade),
        tag("dl", *rows, class_="facts"),
        failures_html(status.all_failures),
        _warnings(status),
        added,
        _table(files, places),
    )


def failures_html(failures: Sequence[Failure]) -> Markup:
    """Files that could not be read, each with the reason and what to do."""
    if not failures:
        return tag("p", "Every document could be read.", class_="quiet")
    rows = [
        tag(
            "li",
            tag("p", failed.ref.path, class_="address"),
            tag("p", failed.reason_alone, " ", tag("b", failed.next_step)),
        )
        for failed in failures[:_MOST]
    ]
    return tag("section", tag("h2", "What failed, and what to do"), tag("ul", *rows, class_="failures"))


def _warnings(status: Status) -> Markup | None:
    if not status.warnings:
        return None
    rows = [tag("li", tag("span", ref.path, class_="address"), ": ", said) for ref, said in status.warnings[:_MOST]]
    return tag("details", tag("summary", f"{len(status.warnings):,} remarks on how files were read"), tag("ul", *rows))


def _table(files: Sequence[FileStatus], places: Places) -> Markup:
    rows = [
        tag(
            "tr",
            tag("td", _name(file, places), class_="address"),
            tag("td", _LABELS[file.state]),
            tag("td", file.reason),
        )
        for file in files[:_MOST]
    ]
    head = tag("thead", tag("tr", *(tag("th", name, scope="col") for name in ("file", "state", "why"))))
    left = len(files) - _MOST
    more = (
        tag("p", f"… and {left:,} more; pinakes status --files lists them all.", class_="quiet") if left > 0 else None
    )
    table = tag("table", tag("caption", f"{len(files):,} files"), head, tag("tbody", *rows))
    return join(tag("div", table, class_="table", tabindex="0", role="region", aria_label="All files"), more)


def _name(file: FileStatus, places: Places) -> Markup:
    if file.state is FileState.INDEXED:
        return tag("a", file.path, href=places.read(file.path))
    return text(file.path)


def added_html(documents: Sequence[AddedDocument], places: Places) -> Markup | None:
    """A list for each project; nothing where nothing was added."""
    if not documents:
        return None
    groups = groupby(sorted(documents, key=lambda one: (one.project, one.title)), key=lambda one: one.project)
    projects = [_project(name, tuple(held), places) for name, held in groups]
    return tag("section", tag("h2", "Added documents"), *projects, id="added", class_="added")


def _project(name: str, documents: Sequence[AddedDocument], places: Places) -> Markup:
    rows = [
        tag(
            "li",
            tag("a", document.title or document.id, href=places.ref(document.ref)),
            " ",
            tag("span", document.source or "a text", class_="address"),
            " ",
            tag("span", document.updated[:10], class_="chip"),
        )
        for document in documents
    ]
    return tag("details", tag("summary", f"{name} ({len(documents):,})"), tag("ul", *rows), open=True)
