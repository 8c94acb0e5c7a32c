"""The map as a foldable tree, and the link graph as a drawing with the same in words.

Folders and outlines enter, lists with ``details`` leave. A folder that is closed holds nothing yet: the page's script
fetches it when it is opened, and without scripts its name is a link to the same folder's map. The drawing is our own,
escaped where it was made; its style stands in the page's style file, because the page's policy allows none inside.
"""

from __future__ import annotations

import re

from pinakes.html.markup import Markup, join, tag
from pinakes.records import Kind, Outline, Section
from pinakes.records.graph import Picture
from pinakes.serve.web.page_state import Folder, FolderTree, Leaf
from pinakes.serve.web.places import Places


def branch(tree: FolderTree, places: Places, under: str, current: str = "") -> Markup:
    """What is directly in the folder `under`; folders on the way to the document `current` are open, and so is one that
    has nothing beside it."""
    folder = tree.get(under) or Folder(under)
    is_alone = len(folder.folders) == 1 and not folder.leaves
    rows = [_folder(tree, places, under, path, current, is_alone=is_alone) for path in folder.folders]
    rows += [_leaf(places, leaf, current) for leaf in folder.leaves]
    if folder.left_out:
        rows.append(tag("li", f"… and {folder.left_out:,} more documents; search finds them.", class_="more"))
    return tag("ul", *rows, class_="branch")


def sections(outline: Outline, places: Places) -> Markup:
    """The sections of one document, nested as they are."""
    below: dict[int, list[int]] = {}
    for place, section in enumerate(outline.sections):
        below.setdefault(section.parent, []).append(place)

    def drawn(parent: int, depth: int) -> Markup | None:
        children = below.get(parent, [])
        if not children or depth > 12:  # hostile drawings go deeper than any browser likes
            return None
        return tag("ul", *(row(place, depth) for place in children), class_="branch")

    def row(place: int, depth: int) -> Markup:
        section = outline.sections[place]
        name = tag("a", section.title or section.anchor, href=places.read(outline.ref.path, section.anchor))
        return tag(
            "li", tag("div", name, _section_facts(outline, place, section), class_="row"), drawn(place, depth + 1)
        )

    return drawn(0, 0) or tag("p", "It has no sections.", class_="quiet")


def _folder(tree: FolderTree, places: Places, under: str, path: str, current: str, *, is_alone: bool) -> Markup:
    """A row for a folder; folders that hold nothing but one other folder share a row with it."""
    while len(tree[path].folders) == 1 and not tree[path].leaves:
        (path,) = tree[path].folders
    folder = tree[path]
    is_open = is_alone or current.startswith(f"{path}/")
    name = path[len(under) + 1 :] if under else path
    counts = tag("span", f"{folder.documents:,}", class_="count", title=_counted(folder.documents, "document"))
    link = tag("a", f"{name}/", href=places.map(path), class_="folder", title=f"{path}/")
    inside = branch(tree, places, path, current) if is_open else None
    row = tag("div", link, _words(()), counts, class_="row")
    return tag("li", row, _unfolded(places, path, f"{name}/", inside))


def _unfolded(places: Places, path: str, name: str, inside: Markup | None = None) -> Markup:
    """What opens below a row. It stands beside the row and not around it, because the row holds a link."""
    summary = tag("summary", aria_label=f"In {name}")
    return tag("details", summary, inside, open=inside is not None, data_branch=places.branch(path))


def _leaf(places: Places, leaf: Leaf, current: str) -> Markup:
    name = tag(
        "a",
        leaf.title,
        href=places.read(leaf.path),
        title=leaf.path,
        aria_current="page" if leaf.path == current else None,
    )
    kind = kind_chip(leaf.kind)
    facts = _facts(leaf.line_count, leaf.cited)
    file = tag("span", leaf.path.rpartition("/")[2], class_="file")
    row = tag("div", name, file, kind, _words(leaf.keywords), facts, class_="row")
    if not leaf.sections:
        return tag("li", row)
    return tag("li", row, _unfolded(places, leaf.path, leaf.title))


def kind_chip(kind: Kind) -> Markup | None:
    """What a document is for, in small; nothing when nobody knows."""
    return None if kind is Kind.UNKNOWN else tag("span", kind.value, class_="chip kind")


def _section_facts(outline: Outline, place: int, section: Section) -> Markup:
    return join(_words(section.keywords[:4]), _facts(section.lines.length, outline.cited_sections[place]))


def _words(keywords: tuple[str, ...]) -> Markup:
    return tag("span", ", ".join(keywords), class_="keywords")


def _facts(line_count: int, cited: int) -> Markup:
    label = f"{_counted(line_count, 'line')}, {_counted(cited, 'link')} from elsewhere"
    shown = join(tag("span", f"←{cited}" if cited else "", class_="cited"), tag("span", f"{line_count:,}"))
    return tag("span", shown, class_="count", title=label, aria_label=label, role="img")


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


_STYLE = re.compile(r"<style>.*?</style>\n?", re.DOTALL)
_MOST_NAMED = 25


def graph_html(layout: Picture, drawing: str, places: Places) -> Markup:
    """The drawing in the page, and the most cited documents as a list for those who cannot see it."""
    drawn = Markup(_STYLE.sub("", drawing, count=1).replace(' role="img"', ' role="group"', 1))  # it holds links
    figure = tag(
        "figure", drawn, class_="graph", tabindex="0", aria_label="The link graph; the list below says it in words"
    )
    named = [dot for dot in layout.dots if dot.cited][:_MOST_NAMED]
    rows = [
        tag(
            "li",
            tag("a", dot.title or dot.path, href=places.read(dot.path), title=dot.path),
            " ",
            tag("span", f"{dot.cited:,}", class_="count", title=f"linked from {dot.cited:,} sections"),
            class_="row",
        )
        for dot in named
    ]
    words = tag("ol", *rows) if rows else tag("p", "No document links to another yet.", class_="quiet")
    hint = tag(
        "p",
        "A document is as large as it is cited; a colour is a group that links among itself. With scripts: click into "
        "the drawing, then turn the wheel or press + and −, drag or press arrows to move, 0 for all of it.",
        class_="quiet",
    )
    return join(tag("h1", "Graph"), hint, figure, tag("section", tag("h2", "Most cited"), words, class_="cited-list"))
