"""Added documents as a reader sees them: by project, with where each is from.

Records enter, markup leaves.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from pinakes.records.added import AddedDocument
from pinakes.serve.web.markup import Markup, tag
from pinakes.serve.web.places import Places


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
