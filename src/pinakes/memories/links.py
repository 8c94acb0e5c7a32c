"""Resolves the links of memories to sections, documents and files of the library, or to other memories.

Parsed memories enter, `Pointer`s leave. A link resolves like a link in a document at the same place: relative to the
file and to the root, wikilinks by path, name, alias or title. A name unknown among the documents may be the id or title
of another memory. Names come from the index of the documents, where there is one, and from the disk, so that a new file
is found before the next sync; anchors come from the disk, and what a site calls the same sections from the index.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from pinakes.cancelling import checked
from pinakes.graph.anchors import Anchors
from pinakes.graph.around import around
from pinakes.graph.names import key_of
from pinakes.graph.resolve import NameTable, resolve
from pinakes.graph.targets import TargetSyntax, read_link, read_target
from pinakes.memories.current_files import CurrentFiles
from pinakes.memories.files import ENDING
from pinakes.memories.location import FOLDER
from pinakes.memories.relations import relations_of
from pinakes.ports import Reader
from pinakes.records import DOCS, MEMORIES, Document, Edge, Link, LinkForm, Name, NameForm, Outcome, Ref, name_key
from pinakes.records.graph import MARKDOWN_ENDINGS
from pinakes.records.memory import Pointer
from pinakes.records.sites import SITES

_NOWHERE = "\0"
"""Prefix of a path that no document has, in no folder."""
_ENDINGS = ("", *MARKDOWN_ENDINGS)


class MemoryNames:
    """Finds memories by id, else by title. Titles are read only when no id matches."""

    def __init__(self, is_there: Callable[[str], bool], titles: Callable[[], Mapping[str, str]]) -> None:
        self._is_there = is_there
        self._titles = titles
        self._by_title: dict[str, list[str]] | None = None

    def candidates(self, name: str) -> tuple[str, ...]:
        """The paths that an id, a file's name or a title may mean: one, several or none."""
        for path in (name, f"{name}{ENDING}"):
            if self._is_there(path):
                return (path,)
        if self._by_title is None:  # parsing every memory is slow, so only when needed
            self._by_title = {}
            titles = self._titles()
            self._is_there = titles.__contains__  # all are known now; the disk need not be asked again
            for path, title in titles.items():
                self._by_title.setdefault(_folded(title), []).append(path)
        return tuple(self._by_title.get(_folded(name), ()))


def _folded(title: str) -> str:
    return " ".join(title.split()).casefold()


def resolved_links(
    documents: Sequence[Document], names: MemoryNames, current: CurrentFiles, reader: Reader | None, *, is_below: bool
) -> tuple[tuple[Edge, ...], ...]:
    """For each memory its links as resolved, in their order. `is_below`: whether memories lie below the root."""
    base = base_of(is_below=is_below)
    wanted = [(seen_from(document.ref, link, base), link) for document in documents for link in document.links]
    table = NameTable(_names(wanted, current, reader), _anchors(current, reader))
    return tuple([tuple(_edges(document, base, table, names)) for document in documents])


def _anchors(current: CurrentFiles, reader: Reader | None) -> Callable[[str], Mapping[str, str]]:
    """The anchors of documents as they are now, and what a site calls the same sections, as far as that is indexed."""
    if reader is None or not reader.setting(SITES):
        return current.anchors
    stored = reader.anchors

    def anchors(path: str) -> Mapping[str, str]:
        now = current.anchors(path)
        return {**{name: to for name, to in stored(Ref(DOCS, path)).items() if to in now}, **now}

    return anchors


def base_of(*, is_below: bool) -> str:
    """What stands before the path of a memory that is seen from the root; empty where memories lie elsewhere."""
    return f"{FOLDER}/" if is_below else ""


def pointers(document: Document, edges: Sequence[Edge]) -> tuple[Pointer, ...]:
    """The links of a memory with what the words around them say."""
    relations = relations_of(document)
    return tuple(
        [
            Pointer(
                target=edge.link.target,
                to=edge.to,
                outcome=edge.outcome,
                form=edge.link.form,
                relation=relations[edge.link.ordinal],
                line=edge.link.line,
                around=around(document, edge.link),
            )
            for edge in checked(edges)
        ]
    )


def _names(wanted: Iterable[tuple[Ref, Link]], current: CurrentFiles, reader: Reader | None) -> Iterable[Name]:
    keys = set()
    # A memory may hold one link a hundred thousand times: each target is looked for on disk once.
    distinct = {(origin, link.form, link.target): link for origin, link in wanted}
    for (origin, _, _), link in checked(distinct.items()):
        link = unprefixed(link)
        key = key_of(link, origin)
        if not key:
            continue
        keys.add(key)
        syntax, text, _ = read_link(link)
        for path in read_target(syntax, text, origin.path.rpartition("/")[0]).possible_paths():
            for ending in _ENDINGS:
                if current.is_file(path + ending):
                    yield Name(name_key(path + ending), NameForm.PATH, path + ending, path + ending)
    if reader is not None and keys:
        yield from reader.names(DOCS, keys)


def _edges(document: Document, base: str, table: NameTable, names: MemoryNames) -> Iterator[Edge]:
    anchors = Anchors(document.anchors())
    for link in checked(document.links):
        edge = _edge(document.ref, anchors, link, base, table, names)
        if edge.outcome is not Outcome.NO_FILE:
            yield edge


def _edge(ref: Ref, anchors: Anchors, link: Link, base: str, table: NameTable, names: MemoryNames) -> Edge:
    syntax, text, fragment = read_link(link)
    if not text and fragment is not None:
        anchor = anchors.find(fragment, by_heading=syntax is not TargetSyntax.ADDRESS)
        outcome = Outcome.BROKEN_ANCHOR if anchor is None else Outcome.FOUND
        return Edge(ref, link, Ref(MEMORIES, ref.path, anchor or ""), outcome)
    corpus, _, rest = link.target.partition(":")
    if corpus == MEMORIES:
        return _to_memory(ref, link, rest, names)
    edge = resolve(seen_from(ref, link, base), unprefixed(link), table)
    if base and edge.to is not None and edge.to.path.startswith(base):
        return _to_memory(ref, link, edge.to.path.removeprefix(base), names)
    if edge.outcome in (Outcome.MISSING, Outcome.AMBIGUOUS) and link.form is not LinkForm.PATH:
        inner = _to_memory(ref, link, text, names)
        return inner if inner.outcome is Outcome.FOUND or edge.outcome is Outcome.MISSING else edge
    return edge


def seen_from(ref: Ref, link: Link, base: str) -> Ref:
    """The place from which a link resolves.

    An address resolves from the memory's file, as in any Markdown reader. A name resolves from the root, so that the
    name of a document means the document even if a memory has that name too.
    """
    is_address = read_link(link)[0] in (TargetSyntax.ADDRESS, TargetSyntax.PAGE)
    return Ref(DOCS, base + ref.path if is_address else _NOWHERE + ref.path.rpartition("/")[2])


def _to_memory(ref: Ref, link: Link, name: str, names: MemoryNames) -> Edge:
    paths = names.candidates(name.partition("#")[0])
    if len(paths) == 1:
        return Edge(ref, link, Ref(MEMORIES, paths[0]), Outcome.FOUND)
    return Edge(ref, link, None, Outcome.AMBIGUOUS if paths else Outcome.MISSING, paths)


def unprefixed(link: Link) -> Link:
    """A link to ``docs:guide.md`` means ``guide.md``."""
    prefix = f"{DOCS}:"
    return replace(link, target=f"/{link.target[len(prefix) :]}") if link.target.startswith(prefix) else link
