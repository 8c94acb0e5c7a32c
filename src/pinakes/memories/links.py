"""Where the links of memories lead: to sections, documents and files of the library, or to other memories.

Parsed memories enter, `Pointer`s leave. A link is understood as one in a document at the same place would be: relative
to the file and to the root, wikilinks by path, name, alias or title; what is not found among the documents may be
another memory's id or title. Names come from the index of the documents, where there is one, and from the disk, so that
a file made a moment ago is found; anchors always come from the disk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from pinakes.graph import NameTable, around, key_of, resolve
from pinakes.graph.anchors import Anchors
from pinakes.graph.targets import MANNERS, Manner, read_target, split
from pinakes.memories.files import ENDING
from pinakes.memories.place import FOLDER
from pinakes.memories.present import Present, anchors_of
from pinakes.memories.relations import relation_of
from pinakes.ports import Reader
from pinakes.records import DOCS, MEMORIES, Document, Edge, Link, LinkForm, Name, NameForm, Outcome, Ref, name_key
from pinakes.records.graph import MARKDOWN_ENDINGS
from pinakes.records.memory import Pointer

_NOWHERE = "\0"
"""Before a file's name: no document is called so, and it is in no folder."""
_ENDINGS = ("", *MARKDOWN_ENDINGS)


class Called:
    """What memories are called: ids, and titles, which are only looked up where no id fits."""

    def __init__(self, is_there: Callable[[str], bool], titles: Callable[[], Mapping[str, str]]) -> None:
        self._is_there = is_there
        self._titles = titles
        self._by_title: dict[str, list[str]] | None = None

    def candidates(self, name: str) -> tuple[str, ...]:
        """The paths that an id, a file's name or a title may mean: one, several or none."""
        for path in (name, f"{name}{ENDING}"):
            if self._is_there(path):
                return (path,)
        if self._by_title is None:  # reading all of them takes its time
            self._by_title = {}
            for path, title in self._titles().items():
                self._by_title.setdefault(_folded(title), []).append(path)
        return tuple(self._by_title.get(_folded(name), ()))


def _folded(title: str) -> str:
    return " ".join(title.split()).casefold()


def pointers(
    documents: Sequence[Document], called: Called, present: Present, reader: Reader | None, *, is_below: bool
) -> tuple[tuple[Pointer, ...], ...]:
    """For each memory its links, in their order. `is_below`: whether memories are kept below the root."""
    base = f"{FOLDER}/" if is_below else ""
    wanted = [(_place(document.ref, link, base), link) for document in documents for link in document.links]
    table = NameTable(_names(wanted, present, reader), present.anchors)
    return tuple(_pointers(document, base, table, called) for document in documents)


def _names(wanted: Iterable[tuple[Ref, Link]], present: Present, reader: Reader | None) -> Iterable[Name]:
    keys = set()
    for origin, link in wanted:
        link = _unprefixed(link)
        key = key_of(link, origin)
        if not key:
            continue
        keys.add(key)
        text, _ = split(MANNERS[link.form], link.target)
        for path in read_target(MANNERS[link.form], text, origin.path.rpartition("/")[0]).tries():
            for ending in _ENDINGS:
                if present.is_file(path + ending):
                    yield Name(name_key(path + ending), NameForm.PATH, path + ending, path + ending)
    if reader is not None and keys:
        yield from reader.names(DOCS, keys)


def _pointers(document: Document, base: str, table: NameTable, called: Called) -> tuple[Pointer, ...]:
    found = []
    for link in document.links:
        edge = _edge(document, link, base, table, called)
        if edge.outcome is Outcome.NO_FILE:
            continue
        found.append(
            Pointer(
                link.target,
                edge.to,
                edge.outcome,
                link.form,
                relation_of(document, link),
                link.line,
                around(document, link),
            )
        )
    return tuple(found)


def _edge(document: Document, link: Link, base: str, table: NameTable, called: Called) -> Edge:
    ref = document.ref
    manner = MANNERS[link.form]
    text, fragment = split(manner, link.target)
    if not text and fragment is not None:
        anchor = Anchors(anchors_of(document)).find(fragment, by_heading=manner is not Manner.ADDRESS)
        outcome = Outcome.BROKEN_ANCHOR if anchor is None else Outcome.FOUND
        return Edge(ref, link, Ref(MEMORIES, ref.path, anchor or ""), outcome)
    corpus, _, rest = link.target.partition(":")
    if corpus == MEMORIES:
        return _to_memory(ref, link, rest, called)
    edge = resolve(_place(ref, link, base), _unprefixed(link), table)
    if base and edge.to is not None and edge.to.path.startswith(base):
        return _to_memory(ref, link, edge.to.path.removeprefix(base), called)
    if edge.outcome in (Outcome.MISSING, Outcome.AMBIGUOUS) and link.form is not LinkForm.PATH:
        inner = _to_memory(ref, link, text, called)
        return inner if inner.outcome is Outcome.FOUND or edge.outcome is Outcome.MISSING else edge
    return edge


def _place(ref: Ref, link: Link, base: str) -> Ref:
    """Where a link counts as written: an address in its file, as every reader of Markdown takes it; a name at the root,
    so that one of a document means the document, whatever notes there are."""
    is_address = MANNERS[link.form] is Manner.ADDRESS
    return Ref(DOCS, base + ref.path if is_address else _NOWHERE + ref.path.rpartition("/")[2])


def _to_memory(ref: Ref, link: Link, name: str, called: Called) -> Edge:
    paths = called.candidates(name.partition("#")[0])
    if len(paths) == 1:
        return Edge(ref, link, Ref(MEMORIES, paths[0]), Outcome.FOUND)
    return Edge(ref, link, None, Outcome.AMBIGUOUS if paths else Outcome.MISSING, paths)


def _unprefixed(link: Link) -> Link:
    """A link to ``docs:guide.md`` means ``guide.md``."""
    prefix = f"{DOCS}:"
    return replace(link, target=f"/{link.target[len(prefix) :]}") if link.target.startswith(prefix) else link
