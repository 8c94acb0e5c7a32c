"""Memories as a library offers them: the room that keeps their files, the index that finds them, the documents they
point at."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from msgspec.structs import replace

from pinakes.config import Config
from pinakes.errors import BadAddress, NotFound, StoreError
from pinakes.globs import literal_glob
from pinakes.index import ignore_progress
from pinakes.library.corpus import Corpus
from pinakes.memories import memories_folder
from pinakes.memories.links import base_of
from pinakes.memories.parsed_memory import ParsedMemory
from pinakes.memories.repository import MemoryRepository
from pinakes.memories.validation import day_of, tags_of
from pinakes.passages import locate
from pinakes.ports import Progress, Reader
from pinakes.records import DOCS, MEMORIES, Connections, Edge, Filter, Hit, Link, Query, Ref, Span
from pinakes.records.memory import (
    Memory,
    MemoryList,
    MemoryStatus,
    MemoryType,
    Note,
    Pointer,
    Recalled,
    Recollection,
    Revision,
    Trashed,
)
from pinakes.records.search import Match
from pinakes.write_log import logged

_BEGINNING = 400
"""Characters of a memory that are shown when nothing was asked."""
_LEAST_SCORE = 0.02
"""What scores less is the farthest from the question's meaning."""
_MOST_NAMED = 2000
"""Memories that a filter names one by one; among more of them, the answers are sorted out instead."""


class Memories(MemoryRepository):
    """What was remembered about a library."""

    def __init__(self, root: Path, config: Config, documents: Corpus, memories: Corpus) -> None:
        self.folder = memories_folder(root, config.memories)
        self._documents = documents
        self._corpus = memories
        super().__init__(self.folder, root, memories.own)

    @property
    def base(self) -> str:
        """What stands before the path of a memory that is seen from the root."""
        return base_of(is_below=self._is_below)

    def digest(self, ref: Ref) -> str:
        """A short digest of a document or section as it is now; empty when it is not there."""
        return self._current.digest(ref)

    def linked(self) -> Iterator[tuple[ParsedMemory, tuple[Edge, ...]]]:
        """Every memory with its links as resolved, the archived ones too."""
        memories = self.load()
        every = tuple(memories.values())
        return zip(every, self._links(every, memories), strict=True)

    def remember(  # noqa: PLR0913 - the words of a note
        self,
        text: str,
        title: str = "",
        *,
        type: MemoryType = MemoryType.OBSERVATION,
        tags: Sequence[str] = (),
        links: Sequence[str] = (),
        review_by: str = "",
        supersedes: Sequence[str] = (),
    ) -> Memory:
        """Write a memory down. It is on disk when this returns, and the next `recall` finds it."""
        return self.write(Note(text, title, type, tuple(tags), tuple(links), review_by, tuple(supersedes)))

    @logged("archive")
    def archive(self, name: str) -> Memory:
        """Keep a memory, but recall it only when archived ones are asked for."""
        return self.update(name, Revision(status=MemoryStatus.ARCHIVED))

    def read(self, name: str) -> Memory:
        """One memory, by its id, address or unique title."""
        (found,) = self.complete([self.find(name)], self.load())
        return found

    def list(
        self, type: MemoryType | None = None, tags: Sequence[str] = (), status: MemoryStatus | None = None
    ) -> MemoryList:
        """Memories with their marks, the newest first, and how many there are of each type and tag."""
        memories = self.load()
        every = _chosen(memories, type, tags, "")
        chosen = [path for path in every if status is None or memories[path].memory.status is status]
        found = self.complete(chosen, memories)
        return MemoryList(
            found,
            _counted(memory.type.value for memory in found),
            _counted(tag for memory in found for tag in memory.tags),
            len(memories),
        )

    def about(self, address: str) -> tuple[Memory, ...]:
        """The memories that point at a document or any of its sections, or at one section; hidden ones left out."""
        return self.complete(self._pointing_at(address), self.load())

    def pointing(self, refs: Iterable[Ref]) -> Mapping[Ref, int]:
        """How many memories point at each of these documents, sections in it included, or sections; those at which
        none does are left out."""
        if not self.files.exists():
            return {}
        turned = self._turned()
        found: dict[Ref, set[str]] = {}
        wanted = set(refs)
        for printed, paths in turned.items():
            ref = Ref.parse_or_none(printed)
            for one in {ref, ref.document} & wanted if ref else ():
                found.setdefault(one, set()).update(paths)
        return {ref: len(paths) for ref, paths in found.items()}

    def joined(self, connections: Connections) -> Connections:
        """The links of a document with those of the memories that point at it; a memory's own, as they are understood
        here and not in an index that knows no documents."""
        ref = connections.ref
        if ref.corpus not in (DOCS, MEMORIES) or not self.files.exists():
            return connections
        memories = self.load()
        outgoing, incoming = connections.with_context()
        if ref.corpus == MEMORIES:
            (own,) = self.complete([ref.path], memories) or (None,)
            outgoing, incoming = _edges(own.links, own.ref) if own else (), ()
        for memory in self.complete(self._pointing_at(str(ref)), memories):
            if memory.ref != ref.document:
                links = [link for link in memory.links if link.to and _leads(str(link.to), "", ref)]
                incoming = (*incoming, *_edges(links, memory.ref))
        edges, words = zip(*outgoing, *incoming, strict=True) if outgoing or incoming else ((), ())
        cut = len(outgoing)
        return Connections(ref, tuple(edges[:cut]), tuple(edges[cut:]), tuple(words))

    def recall(  # noqa: PLR0913 - the words of a question
        self,
        question: str = "",
        *,
        type: MemoryType | None = None,
        tags: Sequence[str] = (),
        after: str = "",
        linked_to: str = "",
        limit: int = 10,
        archived: bool = False,
        progress: Progress = ignore_progress,
    ) -> Recollection:
        """Memories that answer a question, the recent ones lifted; without a question, the newest.

        `archived` also recalls those that are archived or superseded.
        """
        if not self.files.exists():
            return Recollection(question, ())
        memories = self.load()
        hidden = frozenset() if archived else self.hidden(memories)
        chosen = [path for path in _chosen(memories, type, tags, day_of(after)) if path not in hidden]
        if linked_to:
            pointing = frozenset(self._pointing_at(linked_to, hidden=archived))
            chosen = [path for path in chosen if path in pointing]
        if chosen and question.strip():
            answer = self._search(question, chosen, memories, limit, progress)
            return replace(answer, hidden=len(hidden))
        found = [Recalled(memory, _beginning(memory)) for memory in self.complete(chosen[:limit], memories)]
        return Recollection(question, tuple(found), len(hidden))

    def _search(
        self, question: str, chosen: Sequence[str], memories: Mapping[str, ParsedMemory], limit: int, progress: Progress
    ) -> Recollection:
        note = self._corpus.refresh(progress=progress).note
        is_everything = len(chosen) == len(memories)
        is_named = not is_everything and len(chosen) <= _MOST_NAMED
        # A memory may answer with several of its sections, of which one is shown.
        wanted = 3 * limit + 10 if is_everything or is_named else 3 * limit + 500
        where = Filter(paths=tuple(literal_glob(path) for path in chosen) if is_named else ())
        query = Query(question, where, limit=wanted)
        answer = self._corpus.search(query)
        allowed = frozenset(chosen)
        best: dict[str, Hit] = {}
        for hit in filter(_is_worth, answer.hits):
            # Search folds what says nearly the same into one hit; of memories, each is worth knowing.
            for ref in (hit.ref, *hit.also_in):
                if ref.path in allowed:
                    best.setdefault(ref.path, hit)
        paths = list(best)[:limit]
        found = {memory.ref.path: memory for memory in self.complete(paths, memories)}
        return Recollection(
            question,
            tuple(_recalled(found[path], best[path]) for path in paths if path in found),
            notes=tuple(part for part in (note, *answer.missing) if part),
            abstained=answer.abstained,
            doubt=answer.doubt,
            nearest=tuple(ref for ref in answer.nearest if ref.path in allowed),
        )

    def _pointing_at(self, address: str, *, hidden: bool = False) -> Sequence[str]:
        """The paths of the memories that point at a document, section, file or memory, or say that they do."""
        ref = self._located(address)
        if hidden:
            memories = self.load()
            every = self.complete(memories, memories)
            pairs: Iterator[tuple[str, str]] = (
                (str(link.to) if link.to else link.target, memory.ref.path) for memory in every for link in memory.links
            )
        else:
            pairs = ((printed, path) for printed, paths in self._turned().items() for path in paths)
        return list(dict.fromkeys(path for printed, path in pairs if _leads(printed, address, ref)))

    def _located(self, address: str) -> Ref | None:
        reader = self.reader()
        try:
            if address.startswith(f"{MEMORIES}:"):
                return Ref(MEMORIES, self.find(address))
            return locate(reader, DOCS, address.removeprefix(f"{DOCS}:")) if reader else Ref.parse_or_none(address)
        except (NotFound, BadAddress):
            return Ref.parse_or_none(address)

    def _turned(self) -> Mapping[str, tuple[str, ...]]:
        reader = self.reader()
        state = f"{reader.feed(reader.generation).history} {reader.generation}" if reader else ""
        return self.backlinks(state)

    def forget(self, name: str) -> Trashed:
        """Move a memory to the trash; no search finds it from now on."""
        trashed = super().forget(name)
        self._corpus.outdate()
        return trashed

    def _written(self, path: str, data: bytes) -> Memory:
        self._corpus.outdate()
        return super()._written(path, data)

    def reader(self) -> Reader | None:
        """The index of the documents, to be read; a note is written down whatever state that is in."""
        try:
            return self._documents.store if self._documents.is_indexed else None
        except StoreError:
            return None


def _chosen(
    memories: Mapping[str, ParsedMemory], type: MemoryType | None, tags: Sequence[str], after: str
) -> Sequence[str]:
    """The paths of those that pass, the newest first."""
    wanted = frozenset(tag.casefold() for tag in tags_of(tags))
    found = [
        one
        for one in memories.values()
        if (type is None or one.memory.type is type)
        and wanted <= {tag.casefold() for tag in one.memory.tags}
        and (not after or one.memory.date >= after)
    ]
    # Times are written to the second; the file's own time only decides between equal ones.
    found.sort(key=lambda one: (one.memory.date, one.facts.modified_ns, one.facts.path), reverse=True)
    return [one.facts.path for one in found]


def _is_worth(hit: Hit) -> bool:
    """Whether it holds a word of the question, or is not merely what was left."""
    return hit.score >= _LEAST_SCORE or hit.match in (Match.KEYWORD, Match.BOTH)


def _recalled(memory: Memory, hit: Hit) -> Recalled:
    is_own = hit.ref.path == memory.ref.path
    return Recalled(memory, hit.text if is_own else _beginning(memory), hit.score)


def _edges(links: Sequence[Pointer], origin: Ref) -> tuple[tuple[Edge, str], ...]:
    """Links of a memory as every other link is shown, each with what stands around it."""
    return tuple(
        (
            Edge(
                origin,
                Link(number, 0, Span(0, 0), one.line, one.form, one.target, one.target, one.relation),
                one.to,
                one.outcome,
            ),
            one.around,
        )
        for number, one in enumerate(links)
    )


def _leads(printed: str, address: str, ref: Ref | None) -> bool:
    """Whether a target is an address, or lies in the document it names; loose ends are compared as written."""
    found = Ref.parse_or_none(printed)
    if ref is not None and found is not None and (found == ref or (not ref.anchor and found.document == ref)):
        return True
    return printed == address


def _beginning(memory: Memory) -> str:
    text = memory.text
    return text if len(text) <= _BEGINNING else f"{text[:_BEGINNING].rstrip()}…"


def _counted(values: Iterable[str]) -> Mapping[str, int]:
    """The most frequent first."""
    counted = Counter(values)
    return {value: counted[value] for value in sorted(counted, key=lambda value: (-counted[value], value))}
