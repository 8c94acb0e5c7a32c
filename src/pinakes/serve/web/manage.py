"""What a reader with the token may do to a library: add and drop documents, sync, choose a model, restore memories.

Records enter, markup leaves. Before something goes, its reader is asked; everything is sent by the page's script to the
routes that other clients use.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from msgspec import Struct

from pinakes.html.markup import Markup, join, tag
from pinakes.neural.model_list import Model
from pinakes.records import Event, Status
from pinakes.records.added import AddedDocument
from pinakes.records.memory import Trashed
from pinakes.serve.requests.notes import AddDocument, Remember
from pinakes.serve.web.files import failures_html, progress_html, upgrade_html
from pinakes.serve.web.places import Places
from pinakes.serve.web.writing import action_button, needs_scripts, writing_form

_MOST = 500


class Managed(Struct, frozen=True):
    """What the view shows."""

    status: Status
    event: Event | None
    """How far a sync is; None when none is under way."""
    added: tuple[AddedDocument, ...]
    models: tuple[Model, ...]
    trash: tuple[Trashed, ...]


def manage_html(managed: Managed, places: Places) -> Markup:
    """The whole view."""
    status = managed.status
    return tag(
        "div",
        tag("h1", "Manage"),
        tag(
            "p",
            "Whatever writes asks for the token once: ",
            tag("code", "pinakes token"),
            " prints it.",
            class_="quiet",
        ),
        needs_scripts(),
        tag(
            "section",
            tag("h2", "Jobs"),
            progress_html(managed.event, places, generation=status.generation),
            upgrade_html(status.upgrade),
            action_button("/sync", "Look at the folder now", {}, places),
            failures_html(status.all_failures),
        ),
        tag(
            "section",
            tag("h2", "Add a document"),
            tag("p", "A URL or a file of this library; or a text of its own.", class_="quiet"),
            writing_form("/add", AddDocument, ("source", "text", "project", "title", "type"), "Add", places),
        ),
        _added(managed.added, places),
        tag(
            "section",
            tag("h2", "Remember", id="remember"),
            writing_form(
                "/remember", Remember, ("text", "title", "type", "tag", "link", "review_by"), "Remember", places
            ),
        ),
        _models(managed.models, places),
        _trash(managed.trash, places),
        class_="managing",
    )


def _added(documents: Sequence[AddedDocument], places: Places) -> Markup | None:
    if not documents:
        return None
    by_project = sorted(documents[:_MOST], key=lambda one: (one.project, one.title))
    groups = [
        join(tag("h3", project), tag("ul", *(_added_row(one, places) for one in held), class_="managed"))
        for project, held in groupby(by_project, key=lambda one: one.project)
    ]
    update = action_button("/updates", "Take in what changed at the sources", {}, places)
    return tag("section", tag("h2", f"Added documents {len(documents):,}"), update, *groups)


def _added_row(one: AddedDocument, places: Places) -> Markup:
    title = one.title or one.id
    asked = f"Drop “{title}”? Its text goes from the library; its source stays as it is."
    facts = tag("span", f"{one.source or 'a text'} · {one.updated[:10]}", class_="address")
    link = tag("a", title, href=places.ref(one.ref))
    drop = action_button("/drop", "Drop …", {"id[]": one.id}, places, confirm=asked, label=f"Drop {title}")
    return tag("li", tag("div", link, " ", facts), drop)


def _models(models: Sequence[Model], places: Places) -> Markup:
    rows = [_model(one, places) for one in models]
    words = tag("p", "They compare meanings. Another one makes its vectors in the background.", class_="quiet")
    return tag("section", tag("h2", "Models"), words, tag("ul", *rows, class_="managed"))


def _model(one: Model, places: Places) -> Markup:
    facts = one.problem or ", ".join(filter(None, ("reranker" if one.is_reranker else "", one.engine, one.embedder)))
    name = tag("div", tag("b", one.name), " ", tag("span", facts, class_="quiet"))
    if one.is_selected:
        return tag("li", name, tag("span", "selected", class_="chip kind"))
    if one.problem:
        return tag("li", name)
    asked = f"Write neural.model = {one.name} into the project’s pinakes.toml? Vectors are made anew where they differ."
    if one.is_reranker:
        asked = f"Write neural.reranker = {one.name} into the project’s pinakes.toml?"
    sent = {"name": one.name, **({"reranker": "true"} if one.is_reranker else {})}
    select = action_button("/model", "Select …", sent, places, confirm=asked, label=f"Select {one.name}")
    return tag("li", name, select)


def _trash(trash: Sequence[Trashed], places: Places) -> Markup | None:
    if not trash:
        return None
    rows = [
        tag(
            "li",
            tag("div", one.title or one.id, " ", tag("span", f"forgotten {one.forgotten_at[:10]}", class_="quiet")),
            action_button("/restore", "Restore", {"id": one.id}, places, label=f"Restore {one.title or one.id}"),
        )
        for one in trash[:_MOST]
    ]
    return tag("section", tag("h2", "Forgotten memories"), tag("ul", *rows, class_="managed"))
