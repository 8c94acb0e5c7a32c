"""Commits as a reader sees them: the list, and one of them with its difference.

Records enter, markup leaves. Whoever wrote a commit could write anything into it: all of it is text here.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pinakes.errors import PinakesError
from pinakes.html.markup import Markup, join, tag
from pinakes.records import HISTORY, Document, Results
from pinakes.serve.requests.questions import HistoryRequest
from pinakes.serve.web.forms import form_html
from pinakes.serve.web.frame import state
from pinakes.serve.web.places import Places
from pinakes.serve.web.results import hit_html

_FIRST = ("query", "file", "author", "after", "before")
_MOST_FILES = 200
_SIGNS = {"+": "added", "-": "gone", "@": "place"}


def history_html(found: Results, given: Mapping[str, str], places: Places) -> Markup:
    """The view: a form, then commits, the newest or the best first."""
    count = len({hit.ref.path for hit in found.hits})
    order = "the best first" if found.query.text else "the newest first"
    summary = f"{count} commit{'' if count == 1 else 's'}, {order}" if count else "No commit is like that."
    rows = [hit_html(hit, places, found.query.text) for hit in found.hits]
    said = found.abstained or found.doubt
    why = tag("p", said) if said else None
    return tag(
        "div",
        tag("h1", "History"),
        form_html(places.view("history"), "Commits", given, _FIRST, HistoryRequest),
        tag("p", summary, class_="told", role="status"),
        why,
        *(tag("p", note, class_="quiet") for note in found.missing),
        tag("ol", *rows, class_="hits commits", aria_label="Commits") if rows else None,
    )


def without_html(trouble: PinakesError) -> Markup:
    """There are no commits to show: why, and what to do."""
    return state("There is no history here", tag("p", trouble.problem), tag("p", trouble.next_step, class_="quiet"))


def reading_html(places: Places) -> Markup:
    """The commits are being read for the first time."""
    again = tag("p", tag("a", "Look again", href=places.view("history")), " in a moment.", class_="quiet")
    return state("The commits are being read for the first time", again)


def commit_html(document: Document) -> Markup:
    """A commit's message and files as they are written, and its difference line by line."""
    parts = []
    for place, section in enumerate(document.sections):
        words = document.text(document.own(place)).strip("\n")
        if section.anchor == "diff":
            parts.append(join(tag("h2", "Difference", id="diff"), _difference(words)))
        elif words.strip():
            parts.append(tag("pre", words, id=section.anchor or None, class_="message"))
    return tag("div", *parts, class_="plain commit")


def commit_margin_html(document: Document, places: Places) -> Markup | None:
    """What a commit came after and which files it changed, each a way to the commits that did, too."""
    facts = json.loads(document.metadata.extra or "{}")
    parents = [tag("li", tag("a", one[:12], href=places.read(f"{HISTORY}:{one}"))) for one in _texts(facts, "parents")]
    files = _texts(facts, "files")
    rows = [tag("li", tag("a", path, href=places.history(file=path))) for path in files[:_MOST_FILES]]
    left = len(files) - _MOST_FILES
    more = tag("li", f"… and {left:,} more", class_="quiet") if left > 0 else None
    came = tag("section", tag("h2", "Comes after"), tag("ul", *parents, class_="address")) if parents else None
    changed = tag("section", tag("h2", f"Files {len(files):,}"), tag("ul", *rows, more, class_="address"))
    return join(came, changed if rows else None)


def _texts(facts: object, name: str) -> list[str]:
    """A list in what a commit's record holds besides; none where it holds something else."""
    values = facts.get(name) if isinstance(facts, dict) else None
    return [one for one in values if isinstance(one, str)] if isinstance(values, list) else []


def _difference(words: str) -> Markup:
    lines = words.split("\n")
    fences = [place for place, line in enumerate(lines) if line.startswith("```")]
    inside = lines[fences[0] + 1 : fences[-1]] if len(fences) > 1 else lines
    after = lines[fences[-1] + 1 :] if len(fences) > 1 else []
    shown = [tag("span", line or " ", class_=_look(line)) for line in inside]
    rest = "\n".join(after).strip()
    return join(tag("pre", *shown, class_="diff", tabindex="0"), tag("p", rest, class_="quiet") if rest else None)


def _look(line: str) -> str:
    if line.startswith(("+++", "---", "diff ")):
        return "line file"
    return f"line {_SIGNS.get(line[:1], '')}".strip()
