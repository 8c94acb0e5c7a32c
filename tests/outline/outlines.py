"""Builders of outlines for the map's tests: a few words make one, and hypothesis makes strange ones."""

from __future__ import annotations

import random
from collections.abc import Sequence

from hypothesis import strategies as st

from pinakes.records import DOCS, Kind, Outline, Ref, Reference, Section, Shape, Span, formats


def heading(
    level: int,
    title: str,
    *,
    lines: int = 3,
    keywords: Sequence[str] = (),
    shapes: Sequence[Shape] = (),
) -> Section:
    """A section that is not placed yet: `outline` gives it its parent and position."""
    return Section(
        anchor=title.lower().replace(" ", "-"),
        title=title,
        level=level,
        parent=0,
        span=Span(0, lines * 10),
        lines=Span(0, lines),
        shapes=tuple(shapes),
        keywords=tuple(keywords),
    )


def outline(
    path: str,
    headings: Sequence[Section] = (),
    *,
    root: Section | None = None,
    kind: Kind = Kind.UNKNOWN,
    cited: Sequence[int] = (),
    references: Sequence[tuple[int, str]] = (),
) -> Outline:
    """A document's outline, called by its first heading or its name; `cited` counts links to the document and then to
    each heading, references are (section, ``path#anchor``)."""
    sections = [root or Section("", "", 0, -1, Span(0, 100), Span(0, 3))]
    open_at = [0]
    for new in headings:
        while sections[open_at[-1]].level >= new.level:
            open_at.pop()
        sections.append(
            Section(
                new.anchor,
                new.title,
                new.level,
                open_at[-1],
                new.span,
                new.lines,
                shapes=new.shapes,
                keywords=new.keywords,
            )
        )
        open_at.append(len(sections) - 1)
    counts = [*cited, *([0] * len(sections))][: len(sections)]
    return Outline(
        ref=Ref(DOCS, path),
        title=next((new.title for new in headings[:1] if new.level == 1), path.rpartition("/")[2]),
        kind=kind,
        media=formats.MARKDOWN,
        digest="",
        sections=tuple(sections),
        cited=counts[0],
        cited_sections=(0, *counts[1:]),
        references=tuple(Reference(section, Ref.parse(target)) for section, target in references),
    )


WORDS = (
    *("access", "account", "action", "alert", "billing", "branch", "build", "cache", "check", "code", "commit"),
    *("deploy", "error", "event", "file", "graph", "group", "hook", "index", "issue", "key", "label", "limit"),
    *("merge", "metric", "node", "package", "policy", "query", "queue", "release"),
)


def shelf(documents: int, sections: int, seed: int = 0) -> tuple[list[Outline], dict[str, tuple[float, ...]]]:
    """A repository of many documents with plausible names, sizes, links and ranks."""
    dice = random.Random(seed)
    folders = ["docs"]
    while len(folders) < max(2, documents // 6):
        folders.append(f"{dice.choice(folders)}/{'-'.join(dice.sample(WORDS, dice.choice((1, 1, 2))))}")
    folders = sorted(set(folders))
    paths = sorted({f"{dice.choice(folders)}/{'-'.join(dice.sample(WORDS, 3))}-{n}.md" for n in range(documents)})
    made, ranks = [], {}
    each = max(1, sections // documents)
    for path in paths:
        found = []
        for place in range(dice.randint(0, 2 * each)):
            title = " ".join(dice.sample(WORDS, dice.randint(1, 5))).capitalize()
            level = 2 if place == 0 or dice.random() < 0.6 else 3
            found.append(
                heading(
                    level,
                    title,
                    lines=dice.randint(2, 80),
                    keywords=[" ".join(dice.sample(WORDS, 2)) for _ in range(3)],
                    shapes=[Shape.CODE] if dice.random() < 0.3 else [],
                )
            )
        counts = [dice.choice((0, 0, 0, 0, 0, 1, 2, 7)) for _ in range(len(found) + 1)]
        targets = [(dice.randint(0, len(found)), dice.choice(paths)) for _ in range(dice.randint(0, 2 * each))]
        made.append(outline(path, found, kind=dice.choice(list(Kind)), cited=counts, references=targets))
        ranks[path] = tuple(0.3 * 2 ** dice.gauss(0, 1) if dice.random() < 0.3 else 0.3 for _ in range(len(found) + 1))
    return made, ranks


TITLES = st.text(st.characters(exclude_categories=()), max_size=30)
NAMES = st.text(st.sampled_from("abc@#% ü.…-"), min_size=1, max_size=6).filter(lambda name: name not in (".", ".."))
PATHS = st.lists(NAMES, min_size=1, max_size=4).map("/".join)


@st.composite
def random_outlines(draw: st.DrawFn) -> list[Outline]:
    """Documents with strange names, titles and nesting."""
    paths = draw(st.lists(PATHS, max_size=12, unique=True))
    made = []
    for path in paths:
        headings = [
            heading(
                draw(st.integers(1, 9)),
                draw(TITLES),
                lines=draw(st.integers(1, 200)),
                keywords=draw(st.lists(TITLES, max_size=3)),
                shapes=draw(st.sampled_from([(), (Shape.CODE,), (Shape.TABLE, Shape.CODE)])),
            )
            for _ in range(draw(st.integers(0, 6)))
        ]
        targets = st.tuples(st.integers(0, len(headings)), st.sampled_from(paths))
        made.append(
            outline(
                path,
                headings,
                references=[
                    (section, str(Ref(DOCS, target)))
                    for section, target in draw(st.lists(targets, max_size=3, unique=True))
                ],
                kind=draw(st.sampled_from(list(Kind))),
                cited=[draw(st.integers(0, 2)) for _ in range(len(headings) + 1)],
            )
        )
    return made
