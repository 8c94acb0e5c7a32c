"""Hits as a reader sees them, and what to say when there are none.

`Results` enter, markup leaves. A passage of Markdown is drawn without a single attribute, so nothing in it can lead
anywhere; what matched is marked. The bar of votes says why the hit is here, also in words for those who cannot see it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import nh3
import pyromark

from pinakes.html.clean import GONE
from pinakes.html.markup import Markup, join, tag, text, visible
from pinakes.records import DOCS, HISTORY, Hit, Ref, Results, Vote, possible_media_of
from pinakes.records.folder_notes import FolderNote, note_above
from pinakes.render import corrections_text
from pinakes.render.excerpt import excerpt
from pinakes.serve.web.places import Places, shown
from pinakes.serve.web.tree import kind_chip
from pinakes.tokens import count_tokens

_BAR = 120
_FENCE = re.compile(r"\A```[^\n]*\n")
_LONGEST = 1400
"""Characters of a passage that are shown; the reader has the rest."""


def results_html(results: Results, places: Places, note: str, seconds: float, in_use: Markup | None = None) -> Markup:
    """The answer: a line that says what was found, the filters in use, then the hits or what comes nearest."""
    figures = tag("span", f" in {seconds * 1000:.0f} ms", class_="figure") if results.hits else None
    switch = tag("button", "Figures", type="button", class_="switch", data_figures=True, aria_pressed="false")
    said = tag("p", tag("span", _counted(results), role="status"), figures, " ", switch, class_="told")
    heading = join(tag("h1", "Search", class_="unseen"), said, in_use)
    notes = [tag("p", one, class_="quiet") for one in (note, *results.missing) if one]
    doubt = tag("p", results.doubt, class_="weak") if results.doubt else None
    meant = tag("p", corrections_text(results), class_="meant") if results.corrections else None
    unknown = _unknown(results) if results.hits else None
    if not results.hits:
        return join(heading, meant, *notes, _nothing(results, places))
    pages = (page_html(page, places, results.query.text, results.folders) for page in results.pages())
    hits = tag("ol", *pages, class_="hits", aria_label="Passages found")
    return join(heading, meant, doubt, unknown, *notes, hits)


def _counted(results: Results) -> str:
    found = len(results.hits)
    return f"{found} passage{'' if found == 1 else 's'}" if found else "Nothing found."


def _unknown(results: Results) -> Markup | None:
    if not results.unknown:
        return None
    words = join(*(join(" " if place else None, tag("b", word)) for place, word in enumerate(results.unknown)))
    return tag("p", "In no document: ", words, class_="quiet")


def _nothing(results: Results, places: Places) -> Markup:
    why = tag("p", results.abstained) if results.abstained else None
    nearest = None
    if results.nearest:
        rows = [tag("li", _place(ref, places)) for ref in results.nearest]
        nearest = join(tag("h2", "What comes nearest"), tag("ul", *rows, class_="nearest"))
    advice = tag("p", "Fewer or other words may help, and so may fewer filters.", class_="quiet")
    return tag("div", why or _unknown(results), nearest, advice, class_="state")


def _place(ref: Ref, places: Places) -> Markup:
    return tag("a", shown(ref), href=places.ref(ref), class_="address")


def page_html(hits: Sequence[Hit], places: Places, question: str = "", notes: Sequence[FolderNote] = ()) -> Markup:
    """The hits of one page: the best, and the others below it."""
    first, *others = (hit_html(hit, places, question, notes) for hit in hits)
    if not others:
        return first
    more = tag("ol", *others, class_="hits more", aria_label="More of this page")
    return tag("li", tag("ol", first, class_="hits"), more, class_="page")


def hit_html(hit: Hit, places: Places, question: str = "", notes: Sequence[FolderNote] = ()) -> Markup:
    """One hit; it opens with the words of the `question` marked. `notes` are those of folders."""
    where = places.ref(hit.ref, hit.lines.outside(), question)
    # A commit has no headings of its own but "Diff"; what it is about, its subject says.
    heading = hit.trail[-1] if hit.trail and hit.ref.corpus != HISTORY else hit.title
    trail = [part for part in (hit.title, *hit.trail[:-1]) if part != heading]
    crumbs = tag("span", " › ".join(dict.fromkeys(trail)), class_="trail") if trail else None
    also = [tag("span", "also in ", _place(ref, places), class_="chip") for ref in hit.also_in[:3]]
    chips = tag(
        "div",
        _corpus_chip(hit),
        kind_chip(hit.kind),
        _memories_chip(hit, places),
        tag("span", f"{count_tokens(hit.text):,} tokens", class_="chip figure"),
        tag("span", hit.modified[:10], class_="chip") if hit.modified else None,
        *also,
        votes_bar(hit.votes),
        class_="chips",
    )
    address = tag("a", f"{_short(hit.ref)}:{hit.lines.outside()}", href=where, class_="address", tabindex="-1")
    head = tag("h2", tag("a", heading, href=where, class_="open"))
    return tag(
        "li",
        tag(
            "article",
            head,
            tag("div", crumbs, address, class_="where"),
            _note(hit, notes),
            _passage(hit),
            chips,
            class_="hit",
        ),
        data_hit=True,
    )


def _note(hit: Hit, notes: Sequence[FolderNote]) -> Markup | None:
    """What is noted of the folder that a hit lies in."""
    note = note_above(hit.ref.path, notes) if hit.ref.corpus == DOCS else None
    return tag("p", f"{note.folder or '.'}/: {note.note}", class_="quiet folder-note") if note else None


def _short(ref: Ref) -> str:
    """A path; of a commit, as much of its hash as people say."""
    return ref.path[:12] if ref.corpus == HISTORY else ref.path


def _corpus_chip(hit: Hit) -> Markup | None:
    """Which corpus it is of, where that is not the documents of the root, and where an added document is from."""
    if hit.ref.corpus == DOCS:
        return None
    return tag("span", hit.ref.corpus, class_="chip kind corpus", title=hit.origin or None)


def _memories_chip(hit: Hit, places: Places) -> Markup | None:
    if not hit.memories:
        return None
    label = f"{hit.memories} {'memory' if hit.memories == 1 else 'memories'}"
    return tag("a", label, href=places.memories(linked_to=hit.ref.document.label), class_="chip about", tabindex="-1")


def _passage(hit: Hit) -> Markup:
    """The passage, what matched marked; the heading is not said twice."""
    shown = excerpt(hit)
    if not shown.text:
        return tag("p", "Only a heading.", class_="passage quiet")
    pieces = [*shown.pieces(_LONGEST), (" …" if len(shown.text) > _LONGEST else "", False)]
    if hit.ref.corpus == HISTORY:
        pieces[0] = (_FENCE.sub("", pieces[0][0]), pieces[0][1])
    if possible_media_of(hit.ref.path.rpartition("/")[2]).is_markdown:
        return tag("div", snippet_html(pieces), class_="passage")
    looks = f"passage as-written{' code' if hit.ref.corpus == HISTORY and hit.ref.anchor else ''}"
    drawn = [tag("mark", words) if is_match else text(words) for words, is_match in pieces]
    return tag("div", *drawn, class_=looks)


def votes_bar(votes: tuple[Vote, ...]) -> Markup | None:
    """Why a hit is here: a stripe for each retriever, longer where it ranked the hit higher."""
    ranked = [vote for vote in votes if vote.rank]
    if not ranked:
        return None
    label = "; ".join(_vote(vote) for vote in votes)
    shares = [1 / (vote.rank + 1) for vote in ranked]
    drawn = []
    at = 0.0
    for place, share in enumerate(shares):
        width = _BAR * share / sum(shares) if len(shares) > 1 else float(_BAR)
        drawn.append(
            tag("rect", x=f"{at:.1f}", y="0", width=f"{max(width - 1, 1):.1f}", height="4", class_=f"vote v{place % 5}")
        )
        at += width
    bar = tag("svg", tag("title", label), *drawn, viewBox=f"0 0 {_BAR} 4", class_="votes", role="img", aria_label=label)
    names = tag(
        "span", " · ".join(f"{vote.retriever} {vote.rank}" for vote in ranked), class_="ranks", aria_hidden="true"
    )
    return tag("span", bar, names, class_="why figure", title=label)


def _vote(vote: Vote) -> str:
    if vote.rank:
        return f"{vote.retriever}: rank {vote.rank}, score {vote.score:.3g}"
    return f"{vote.retriever}: {vote.score:.3g}"


_START, _END = "\ue000", "\ue001"
"""From Unicode's private area: to the engine they are letters, so no emphasis opens or closes because of them."""
_TAGS = frozenset(
    """b blockquote br code del dd dl dt em h1 h2 h3 h4 h5 h6 hr i kbd li ol p pre s strong sub sup table tbody td th
    thead tr ul""".split()  # noqa: SIM905 - thirty words in a list would fill the screen
)
_ENGINE = pyromark.Markdown(options=pyromark.Options.ENABLE_TABLES | pyromark.Options.ENABLE_STRIKETHROUGH)


def snippet_html(pieces: Iterable[tuple[str, bool]]) -> Markup:
    """Pieces of a passage, each with whether it matched, drawn as one text."""
    signed = "".join(f"{_START}{_bare(words)}{_END}" if is_match else _bare(words) for words, is_match in pieces)
    drawn = _clean(_ENGINE.html(visible(signed)), _TAGS)
    marked = drawn.replace(_START, "<mark>").replace(_END, "</mark>")
    return Markup(_clean(marked, _TAGS | {"mark"}))  # once more: a match may begin in one element and end in another


def _clean(html: str, tags: frozenset[str]) -> str:
    return nh3.clean(html, tags=set(tags), attributes={}, clean_content_tags=set(GONE), link_rel=None)


def _bare(words: str) -> str:
    return words.replace(_START, "").replace(_END, "")
