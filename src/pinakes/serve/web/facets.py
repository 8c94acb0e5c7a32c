"""What the hits of a question are, counted, each a way to those alone; and the filters in use, each a way out of it.

Results and what an address says enter, markup leaves. Everything here is a link, so it works without scripts and Back
undoes it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from pinakes.html.markup import Markup, join, tag
from pinakes.library import Library
from pinakes.records import DOCS, Hit, HitDetail, Kind, Query
from pinakes.serve.requests.parameters import Doors, parameters
from pinakes.serve.requests.questions import SearchRequest
from pinakes.serve.web.places import Places

COUNTED = 100
"""Passages that are counted: nobody looks further, and more would take as long as the search itself."""
_MOST_ROWS = 8
_UNFILTERED = ("query", "typing")
"""Parameters of a search that narrow nothing."""


def facets_html(library: Library, query: Query, given: Mapping[str, str], places: Places) -> Markup | None:
    """Kinds, folders, years and corpora of the first hundred passages, those that tell hits apart; None without a
    question."""
    if not query.text:
        return None
    # Near duplicates count one by one: to fold a hundred hits takes longer than to find them.
    counted = {"limit": COUNTED, "detail": HitDetail.IDS, "min_share": 0.0, "max_tokens": 0}
    wider = replace(query, **counted, pack=False, typing=False, duplicates=True, group=False)
    hits = library.search(wider).hits
    groups = (
        ("Kind", "kind", Counter(hit.kind.value for hit in hits if hit.kind is not Kind.UNKNOWN)),
        ("Folder", "path", Counter(filter(None, _folders(hits)))),
        ("Since", "after", _since(hits)),
        ("Look in", "corpus", Counter(hit.ref.corpus for hit in hits)),
    )
    shown = [_facet(label, name, counts, given, places) for label, name, counts in groups]
    if not any(shown):
        return None
    said = f"Of the first {len(hits)} passages" if len(hits) == COUNTED else f"Of {len(hits)} passages"
    return join(tag("p", said, class_="quiet counted"), *shown)


def chips_html(given: Mapping[str, str], places: Places) -> Markup | None:
    """The filters in use, each a way to the same question without it, and a way to the question without any."""
    rows = parameters(SearchRequest, Doors.PAGE)
    used = {name: value for name, value in given.items() if name not in _UNFILTERED}
    if not used:
        return None
    chips = []
    for name, value in used.items():
        label = rows[name].label or name.replace("_", " ").capitalize()
        without = {other: said for other, said in given.items() if other not in (name, "typing")}
        words = label if rows[name].base is bool else f"{label}: {value}"
        chips.append(tag("a", words, href=places.search(**without), class_="filter", title=f"Without {label}"))
    reset = tag("a", "Reset", href=places.search(query=given.get("query", "")), class_="reset")
    return tag("p", *chips, reset, class_="in-use", aria_label="Filters in use", role="group")


def _facet(label: str, name: str, counts: Counter[str], given: Mapping[str, str], places: Places) -> Markup | None:
    """A group of links with counts; none where all hits are alike, or where this filter is in use."""
    if name in given or len(counts) < 2:
        return None
    asked = {key: value for key, value in given.items() if key != "typing"}
    order = counts.most_common() if name != "after" else sorted(counts.items(), reverse=True)
    rows = [
        tag(
            "li",
            tag("a", value, href=places.search(**{**asked, name: value})),
            tag("span", f"{count:,}", class_="count"),
            class_="row",
        )
        for value, count in order[:_MOST_ROWS]
    ]
    return tag("section", tag("h2", label), tag("ul", *rows, class_="outline"), class_="facet")


def _folders(hits: Sequence[Hit]) -> list[str]:
    """The folder of each document, as far down as all of them go together and one step more."""
    paths = [hit.ref.path.split("/")[:-1] for hit in hits if hit.ref.corpus == DOCS]
    shared = 0
    while paths and all(len(path) > shared and path[shared] == paths[0][shared] for path in paths):
        shared += 1
    return ["/".join(path[: shared + 1]) if len(path) > shared else "" for path in paths]


def _since(hits: Sequence[Hit]) -> Counter[str]:
    """How many were written in each year or later."""
    years = sorted({hit.modified[:4] for hit in hits if hit.modified})
    return Counter({year: sum(hit.modified[:4] >= year for hit in hits if hit.modified) for year in years})
