"""Vaults for moves: documents with every form of link, headings of the same name, letters, spaces and folders."""

from __future__ import annotations

import posixpath
from pathlib import Path
from urllib.parse import quote

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

import pinakes
from pinakes.records import DOCS, Edge, LinkForm, Outcome

FOLDERS = ("", "guide/", "guide/deep/", "Über uns/", "api/")
STEMS = ("auth", "README", "index", "two words", "Größe", "a.b", "x(1)", "10% off", "note")
ENDINGS = (".md", ".md", ".md", ".mdx", ".txt", ".svg", ".png", ".rst")
HEADINGS = ("Setup", "Setup", "Größe & Maß", "API `keys` {#keys}", "a_b *c*", "Setup-1", "日本語", "Two  words")
ANCHORS = ("", "#setup", "#setup", "#setup-1", "#setup-1", "#größe--maß", "#keys", "#a_b-c", "#nowhere", "#日本語")
TITLES = ("Alpha", "Beta", "Alpha")

paths = st.builds(lambda *parts: "".join(parts), *map(st.sampled_from, (FOLDERS, STEMS, ENDINGS)))


@st.composite
def targets(draw: DrawFn, origin: str, known: list[str]) -> str:
    """A way to write a path as a URL: relative or rooted, with or without its ending, encoded or not."""
    path = draw(st.sampled_from(known))
    way = draw(
        st.sampled_from(("relative", "relative", "dotted", "rooted", "root", "bare", "html", "folder", "outside"))
    )
    relative = posixpath.relpath(f"/{path}", f"/{posixpath.dirname(origin)}")
    if way == "outside":
        return "../" * (origin.count("/") + 1) + "elsewhere/x.md"
    if way == "folder":
        return draw(st.sampled_from((posixpath.dirname(relative) or ".", f"{posixpath.dirname(relative) or '.'}/")))
    written = {
        "dotted": relative if relative.startswith("../") else f"./{relative}",
        "rooted": f"/{path}",
        "root": path,
        "bare": posixpath.splitext(relative)[0],
        "html": f"{posixpath.splitext(relative)[0]}.html",
    }.get(way, relative)
    letters = "/" if draw(st.booleans()) else "/äöüÄÖÜßß日本語"
    return quote(written, safe=letters)


@st.composite
def links(draw: DrawFn, origin: str, known: list[str], titles: list[str]) -> str:
    """One link in one of the forms there are."""
    target, anchor = draw(targets(origin, known)), draw(st.sampled_from(ANCHORS))
    query = draw(st.sampled_from(("", "", "", "?x=1")))
    path = draw(st.sampled_from(known))
    stem = posixpath.splitext(path)[0]
    name = draw(st.sampled_from((posixpath.basename(stem), stem, path, draw(st.sampled_from(titles)))))
    heading = draw(st.sampled_from(("", "", "#Setup", "#setup-1", "#Größe & Maß", "#keys", "#日本語")))
    plain = target.replace("%20", " ") if draw(st.booleans()) else target
    relative = posixpath.relpath(f"/{path}", f"/{posixpath.dirname(origin)}")
    return draw(
        st.sampled_from(
            (
                f"[text]({target}{query}{anchor})",
                f'[text]({target}{query}{anchor} "A (title)")',
                f"[text](<{plain}{anchor}>)",
                f"![image]({target})",
                f"[![image]({target})]({target}{anchor})",
                f"[text][ref]\n\n[ref]: {target}{anchor} 'title'\n",
                f"[ref2]\n\n[ref2]: <{plain}>\n",
                f'<a href="{target}{query}{anchor}">text</a>',
                f"<img alt='{target}' src='{plain}' srcset='{target} 2x'>",
                f"[[{name}{heading}]]",
                f"[[{name}{heading}|alias]]",
                f"![[{name}]]",
                f"see `{relative}` here",
                f"see {path} here",
                f"> quoted [text]({target}{anchor})",
                f"- item [text]({target}{anchor})\n- [other](#setup-1)",
                "[here](#setup)",
                "[[#Setup]]",
            )
        )
    )


@st.composite
def pages(draw: DrawFn, path: str, known: list[str]) -> str:
    """The text of a document."""
    if path.endswith((".png", ".svg", ".txt")):
        target = posixpath.relpath(f"/{draw(st.sampled_from(known))}", f"/{posixpath.dirname(path)}")
        drawing = f'<svg xmlns="http://www.w3.org/2000/svg"><a href="{quote(target)}"><text>label</text></a></svg>\n'
        return {".png": "x", ".svg": drawing, ".txt": f"see {target} now\n"}[posixpath.splitext(path)[1]]
    if path.endswith(".rst"):
        target = posixpath.relpath(f"/{draw(st.sampled_from(known))}", f"/{posixpath.dirname(path)}")
        return f"Title\n=====\n\nSetup\n-----\n\n`text <{target}>`_ and\n\n.. image:: {target}\n"
    parts = []
    if draw(st.booleans()):
        related = posixpath.relpath(f"/{draw(st.sampled_from(known))}", f"/{posixpath.dirname(path)}")
        title = draw(st.sampled_from(TITLES))
        parts.append(f'---\ntitle: {title}\nrelated:\n  - "{related}"\n  - "[[{title}]]"\nimage: {related}\n---\n')
    for _ in range(draw(st.integers(0, 4))):
        heading = draw(st.sampled_from(HEADINGS))
        parts.append(draw(st.sampled_from((f"## {heading}\n\n", f"### {heading} ###\n\n"))))
        parts += [f"{one}\n\n" for one in draw(st.lists(links(path, known, list(TITLES)), max_size=4))]
    return "".join(parts) or "empty\n"


@st.composite
def vaults(draw: DrawFn) -> dict[str, str]:
    """Files by their paths, no file where a folder is."""
    known = draw(st.lists(paths, min_size=2, max_size=6, unique_by=lambda path: path.casefold()))
    return {path: draw(pages(path, known)) for path in known}


def found(library: pinakes.Library) -> dict[str, list[Edge]]:
    """By document, its links in reading order; mentions of paths, which are links only where the file exists, apart."""
    edges: dict[str, list[Edge]] = {}
    for edge in library.corpus().index.edges(DOCS):
        if edge.link.form is not LinkForm.PATH:
            edges.setdefault(edge.origin.path, []).append(edge)
    return edges


def mentioned(library: pinakes.Library) -> list[tuple[str, str]]:
    """The documents and the files that their texts mention by path, sorted."""
    edges = library.corpus().index.edges(DOCS, outcomes=[Outcome.FOUND])
    return sorted((edge.origin.path, edge.to.path) for edge in edges if edge.link.form is LinkForm.PATH and edge.to)


def everything(root: Path) -> dict[str, bytes | None]:
    """Every file below a root and its bytes, every folder and None; what belongs to Pinakes or git left out."""
    inside = [path for path in root.rglob("*") if not {".pinakes", ".git", ".lock"} & set(path.relative_to(root).parts)]
    return {str(path.relative_to(root)): None if path.is_dir() else path.read_bytes() for path in inside}
