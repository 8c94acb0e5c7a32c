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
from pinakes.records import DOCS, FilterValues, Hit, HitDetail, Kind, Query, Ref
from pinakes.serve.requests.parameters import Doors, parameters
from pinakes.serve.requests.questions import SearchRequest
from pinakes.serve.web.places import Places

COUNTED = 100
"""Passages that are counted: nobody looks further, and more would take as long as the search itself."""
_MOST_ROWS = 8
_Group = tuple[str, str, Counter[str]]
"""A label, the parameter of a search that it narrows, and how many hits have each value."""
_UNFILTERED = ("query", "typing")
"""Parameters of a search that narrow nothing."""


def facets_html(library: Library, query: Query, given: Mapping[str, str], places: Places) -> Markup | None:
    """Kinds, folders, tags, languages, years and corpora of the first hundred passages, those that tell hits apart;
    None without a question."""
    if not query.text:
        return None
    # Near duplicates count one by one: to fold a hundred hits takes longer than to find them.
    counted = {"limit": COUNTED, "detail": HitDetail.IDS, "min_share": 0.0, "max_tokens": 0}
    wider = replace(query, **counted, pack=False, typing=False, duplicates=True, group=False)
    hits = library.search(wider).hits
    groups: tuple[_Group, ...] = (
        ("Kind", "kind", Counter(hit.kind.value for hit in hits if hit.kind is not Kind.UNKNOWN)),
        ("Folder", "path", Counter(filter(None, _folders(hits)))),
        *_sorted_out(hits, library.filter_values({hit.ref.document for hit in hits})),
        ("Since", "after", _since(hits)),
        ("Look in", "corpus", Counter(hit.ref.corpus for hit in hits)),
    )
    telling = [one for one in groups if one[1] not in given and _tells_apart(one[2], len(hits))]
    shown = [_facet(label, name, counts, given, places) for label, name, counts in telling]
    if not shown:
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


def _tells_apart(counts: Counter[str], found: int) -> bool:
    """Whether a value is not that of every hit."""
    return any(count < found for count in counts.values())


def _sorted_out(hits: Sequence[Hit], known: Mapping[Ref, FilterValues]) -> tuple[_Group, ...]:
    """Tags and languages of the hits, which hits do not carry: a hit has the tags of its document, and the languages of
    the code in its section."""
    tags, languages, code = Counter[str](), Counter[str](), Counter[str]()
    for hit in hits:
        values = known.get(hit.ref.document)
        if values is not None:
            tags.update(name for name in values.tags if "," not in name)  # in an address a comma parts two tags
            languages.update(filter(None, (values.language,)))
            code.update(values.code.get(hit.ref.anchor, ()))
    return ("Tag", "tag", tags), ("Written in", "language", languages), ("Code in", "lang", code)


def _facet(label: str, name: str, counts: Counter[str], given: Mapping[str, str], places: Places) -> Markup:
    """A group of links with counts."""
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
