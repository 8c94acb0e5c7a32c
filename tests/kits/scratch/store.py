"""A store made of dictionaries: the plain truth that other engines are measured against, and a stand-in for tests.

Changes enter, records leave, nothing is kept on disk. Where another engine works out which links a change touches, this
one looks every link up again; where another keeps counts, this one counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from copy import copy
from uuid import uuid4

from msgspec.structs import replace

from kits.scratch.plain import Saying, called, calls, filter_values, passes, passing_sections
from kits.scratch.slices import slice_of
from pinakes.records import (
    CODE,
    Change,
    Chunk,
    ChunkId,
    CorpusName,
    Counts,
    Document,
    Edge,
    Entry,
    Failure,
    Feed,
    Filter,
    FilterValues,
    Link,
    Listed,
    Name,
    NameForm,
    NumberedDocument,
    Outcome,
    Outline,
    Ref,
    Reference,
    Scope,
    Section,
    Slice,
    StoredFile,
    name_key,
)
from pinakes.store.tables.scope import date_of


class ScratchStore:
    """A library kept in memory for as long as the object lives."""

    is_read_only = False

    def __init__(self) -> None:
        self.generation = 0
        self._kept: dict[Ref, StoredFile] = {}
        self._entries: dict[Ref, Entry] = {}
        self._edges: dict[tuple[Ref, int], Edge] = {}
        self._failures: dict[Ref, Failure] = {}
        self._keywords: dict[str, tuple[str, tuple[tuple[str, ...], ...]]] = {}
        self._settings: dict[str, str] = {}
        self._derived: dict[str, tuple[int, bytes]] = {}
        self._asked: dict[str, int] = {}
        """The generation at which a derived part was last asked for: what is kept next was made from no earlier one."""
        self._history = uuid4().hex
        self._numbers: dict[Ref, int] = {}
        self._last_number = 0
        self._changed: dict[int, int] = {}
        """By number, the generation in which a document was last put or called something else."""
        self._gone: dict[int, int] = {}
        self._said: dict[Ref, Saying] = {}
        """What the links of each document say; links that wait count as what they said before."""

    # Writing

    def writing(self, wait_s: float = 30.0) -> AbstractContextManager[None]:
        del wait_s  # nobody else can reach these dictionaries
        return nullcontext()

    @contextmanager
    def transaction(self) -> Iterator[None]:
        before = {name: copy(part) for name, part in vars(self).items()}
        try:
            yield
        except BaseException:
            vars(self).update(before)
            raise

    def write(self, change: Change) -> None:
        for entry in change.put:
            if len(entry.keys) != len(entry.document.links):
                raise ValueError(f"{entry.document.ref} needs a key for each of its links.")
        before = calls(self._said)
        self._write_files(change)
        if change.put or change.drop or change.assets:
            self._edges.clear()
        for edge in change.edges:
            self._write_edge(edge)
        for name, value in change.settings.items():
            self._settings.pop(name, None)
            if value:
                self._settings[name] = value
            elif name == "keywords":
                self._keywords.clear()
        for digest, keywords in change.keywords.items():
            self._keywords[digest] = (self.setting("keywords"), keywords)
        digests = {entry.document.digest for entry in self._entries.values()}
        self._keywords = {digest: made for digest, made in self._keywords.items() if digest in digests}
        self.generation += 1
        self._number()
        self._said = {ref: self._saying(entry.document) for ref, entry in self._entries.items()}
        after = calls(self._said)
        put = {entry.document.ref for entry in change.put}
        for ref, number in self._numbers.items():
            if ref in put or before.get(ref) != after.get(ref):
                self._changed[number] = self.generation

    def _number(self) -> None:
        for ref in [ref for ref in self._numbers if ref not in self._entries]:
            number = self._numbers.pop(ref)
            del self._changed[number]
            self._gone[number] = self.generation
        for ref in sorted(self._entries.keys() - self._numbers.keys()):
            self._last_number += 1
            self._numbers[ref] = self._last_number

    def _saying(self, document: Document) -> Saying:
        edges = [self._edges.get((document.ref, link.ordinal)) for link in document.links]
        real = [edge for edge in edges if edge and not _is_unreal(edge)]
        saying = frozenset((edge.to, edge.link.text) for edge in real if edge.to and edge.link.text)
        return saying | self._said.get(document.ref, frozenset()) if None in edges else saying

    def _write_files(self, change: Change) -> None:
        for ref in change.drop:
            self._forget(ref.document)
            self._failures.pop(ref.document, None)
        for stamp in change.assets:
            self._forget(stamp.ref)
            self._kept[stamp.ref] = StoredFile(stamp, "")
        for entry in change.put:
            ref = entry.document.ref
            self._kept[ref] = StoredFile(entry.document.stamp, entry.document.digest)
            self._entries[ref] = entry
            self._failures.pop(ref, None)
        for stamp in change.touch:
            if stamp.ref in self._kept:
                self._kept[stamp.ref] = StoredFile(stamp, self._kept[stamp.ref].digest)
            if stamp.ref in self._entries:
                entry = self._entries[stamp.ref]
                self._entries[stamp.ref] = replace(entry, document=replace(entry.document, stamp=stamp))
            self._failures.pop(stamp.ref, None)
        for failure in change.failures:
            self._failures[failure.ref] = failure

    def _forget(self, ref: Ref) -> None:
        self._kept.pop(ref, None)
        self._entries.pop(ref, None)

    def _write_edge(self, edge: Edge) -> None:
        ref = edge.origin.document
        entry = self._entries.get(ref)
        if entry is None or edge.link.ordinal >= len(entry.document.links):
            return
        link = entry.document.links[edge.link.ordinal]
        origin = entry.document.section_ref(link.section)
        self._edges[ref, link.ordinal] = replace(edge, origin=origin, link=link)

    def keep_derived(self, name: str, payload: bytes) -> None:
        self._derived[name] = (self._asked.get(name, self.generation), payload)

    def close(self) -> None:
        """Nothing is held open."""

    # Reading

    def setting(self, name: str) -> str:
        return self._settings.get(name, "")

    def derived(self, name: str) -> bytes | None:
        self._asked[name] = self.generation
        generation, payload = self._derived.get(name, (-1, b""))
        return payload if generation == self.generation else None

    def last_derived(self, name: str) -> tuple[int, bytes] | None:
        self._asked[name] = self.generation
        return self._derived.get(name)

    def counts(self, corpus: CorpusName) -> Counts:
        documents = [entry.document for entry in self._all(corpus)]
        unreal = [edge for edge in self._edges.values() if _is_unreal(edge) and edge.origin.corpus == corpus]
        return Counts(
            documents=len(documents),
            sections=sum(len(document.sections) for document in documents),
            links=sum(len(document.links) for document in documents) - len(unreal),
            assets=len(self.files(corpus)) - len(documents),
            failures=len(self.failures(corpus)),
            pending_links=len(self.pending_links(corpus, limit=-1)),
            pending_keywords=len(self.pending_keywords(corpus, limit=-1)),
            source_bytes=sum(len(document.source) for document in documents),
        )

    def files(self, corpus: CorpusName, within: Collection[str] | None = None) -> Mapping[str, StoredFile]:
        every = {ref.path: self._kept[ref] for ref in sorted(self._kept) if ref.corpus == corpus}
        if within is None:
            return every
        return {path: one for path, one in every.items() if any(f"{path}/".startswith(f"{top}/") for top in within)}

    def failures(self, corpus: CorpusName) -> Sequence[Failure]:
        return [self._failures[ref] for ref in sorted(self._failures) if ref.corpus == corpus]

    def warnings(self, corpus: CorpusName) -> Sequence[tuple[Ref, str]]:
        return [(entry.document.ref, text) for entry in self._all(corpus) for text in entry.document.warnings]

    def tags(self, corpus: CorpusName) -> Mapping[str, int]:
        found = Counter(tag for entry in self._all(corpus) for tag in entry.document.tags)
        return dict(sorted(found.items()))

    def filter_values(self, refs: Sequence[Ref]) -> Mapping[Ref, FilterValues]:
        kept = {ref.document for ref in refs} & self._entries.keys()
        return {ref: filter_values(self._entries[ref].document) for ref in kept}

    def document(self, ref: Ref) -> Document | None:
        entry = self._entries.get(ref.document)
        return replace(entry.document, sections=self._sections(entry.document)) if entry else None

    def chunks(self, ref: Ref) -> Sequence[Chunk]:
        entry = self._entries.get(ref.document)
        return entry.chunks if entry else ()

    def listing(self, corpus: CorpusName, under: str = "") -> Sequence[Listed]:
        found = self.outlines(corpus, under)
        return [Listed(self._numbers[one.ref], one.ref.path, len(one.sections)) for one in found]

    def outlines(self, corpus: CorpusName, under: str = "", paths: Sequence[str] | None = None) -> Iterator[Outline]:
        folder = under.rstrip("/")
        for entry in self._all(corpus):
            path = entry.document.ref.path
            is_inside = not folder or path == folder or path.startswith(folder + "/")
            if is_inside if paths is None else path in paths:
                yield self._outline(entry.document)

    def edges(
        self, corpus: CorpusName, origin: Ref | None = None, to: Ref | None = None, outcomes: Sequence[Outcome] = ()
    ) -> Iterator[Edge]:
        for _, edge in sorted(self._edges.items(), key=lambda item: item[0]):
            wanted = edge.origin.corpus == corpus and not _is_unreal(edge)
            wanted = wanted and (not outcomes or edge.outcome in outcomes)
            if wanted and _covers(origin, edge.origin) and _covers(to, edge.to):
                yield edge

    def names(self, corpus: CorpusName, keys: Iterable[str] | None = None) -> Iterator[Name]:
        wanted = None if keys is None else set(keys)
        found = {name for entry in self._all(corpus) for name in entry.names}
        for path in self.files(corpus):
            found.add(Name(name_key(path), NameForm.PATH, path, path))
            while path:
                path = path.rpartition("/")[0]
                found.add(Name(name_key(path), NameForm.FOLDER, path, path))
        for name in sorted(found, key=lambda name: (name.path, name.form, name.text)):
            if wanted is None or name.key in wanted:
                yield name

    def anchors(self, ref: Ref) -> Mapping[str, str]:
        entry = self._entries.get(ref.document)
        sections = entry.document.sections if entry else ()
        found = {section.anchor: section.anchor for section in sections if section.anchor}
        for section in sections:
            for alias in section.aliases:
                found.setdefault(alias, section.anchor)
        return found

    def pending_links(self, corpus: CorpusName, limit: int) -> Sequence[tuple[Ref, Link]]:
        found = [
            (entry.document.ref, link)
            for entry in self._all(corpus)
            for link in entry.document.links
            if (entry.document.ref, link.ordinal) not in self._edges
        ]
        return found if limit < 0 else found[:limit]

    def pending_keywords(self, corpus: CorpusName, limit: int, since: int = 0) -> Sequence[Ref]:
        fingerprint = self.setting("keywords")
        documents = [entry.document for entry in self._all(corpus)] if fingerprint else []
        if since:
            documents = [one for one in documents if self._changed[self._numbers[one.ref]] > since]
        found = [document.ref for document in documents if self._keywords.get(document.digest, ("",))[0] != fingerprint]
        return found if limit < 0 else found[:limit]

    def feed(self, since: int) -> Feed:
        is_whole = not 0 < since <= self.generation
        changed = [number for number, generation in self._changed.items() if is_whole or generation > since]
        gone = [number for number, generation in self._gone.items() if not is_whole and generation > since]
        return Feed(self.generation, tuple(sorted(changed)), tuple(sorted(gone)), is_whole, self._history)

    def documents_by_number(self, numbers: Sequence[int]) -> Iterator[NumberedDocument]:
        refs = {number: ref for ref, number in self._numbers.items()}
        here = calls(self._said)
        for number in numbers:
            if number in refs:
                entry = self._entries[refs[number]]
                names = called(entry.document, here.get(refs[number], frozenset()))
                yield NumberedDocument(number, entry.document, entry.chunks, names)

    def slices(self, chunks: Sequence[ChunkId]) -> Mapping[ChunkId, Slice]:
        held = {one.number: one for one in self.documents_by_number(sorted({chunk.document for chunk in chunks}))}
        found = {one: slice_of(held[one.document], one.ordinal) for one in chunks if one.document in held}
        return {one: made for one, made in found.items() if made is not None}

    def places(self, refs: Sequence[Ref]) -> Mapping[Ref, ChunkId]:
        found: dict[Ref, ChunkId] = {}
        for ref in refs:
            entry = self._entries.get(ref.document)
            if entry is not None:
                anchors = [section.anchor for section in entry.document.sections]
                for chunk in entry.chunks:
                    if not ref.anchor or anchors[chunk.section] == ref.anchor:
                        found.setdefault(ref, ChunkId(self._numbers[ref.document], chunk.ordinal))
        return found

    def newest(self, where: Filter, limit: int) -> Sequence[ChunkId]:
        inside = self.scope(where)
        dated = []
        for ref, number in self._numbers.items():
            known = self._entries[ref].document.metadata
            date = date_of(known.modified, known.created)
            if date and (inside is None or number in inside.documents):
                dated.append((date, -number))
        return [ChunkId(-number, 0) for _, number in sorted(dated, reverse=True)[:limit]]

    def scope(self, where: Filter) -> Scope | None:
        if where == Filter():
            return None
        documents, sections = set(), set()
        for ref, number in self._numbers.items():
            document = self._entries[ref].document
            edges = self.edges(ref.corpus, origin=ref, to=where.linked_to)
            here = passing_sections(document, edges, where)
            if passes(document, where) and (here is None or here):
                documents.add(number)
                sections |= {(number, position) for position in here or ()}
        is_about_sections = where.languages or where.linked_to is not None
        return Scope(frozenset(documents), frozenset(sections) if is_about_sections else None)

    def _all(self, corpus: CorpusName) -> list[Entry]:
        return [self._entries[ref] for ref in sorted(self._entries) if ref.corpus == corpus]

    def _sections(self, document: Document) -> tuple[Section, ...]:
        """The sections with their keywords, unless those were made for a different set of sections."""
        _, keywords = self._keywords.get(document.digest, ("", ()))
        if len(keywords) != len(document.sections):
            return document.sections
        return tuple(
            replace(section, keywords=words or section.keywords)
            for section, words in zip(document.sections, keywords, strict=True)
        )

    def _outline(self, document: Document) -> Outline:
        cited = {
            (edge.to, edge.origin.document if document.ref.corpus == CODE else edge.origin)
            for edge in self._edges.values()
            if edge.to and edge.to.document == document.ref and edge.origin.document != document.ref
            if edge.origin.corpus == document.ref.corpus and not _is_unreal(edge)
        }
        counted = [to for to, _ in cited]
        references = {
            Reference(edge.link.section, edge.to): None
            for edge in self.edges(document.ref.corpus, origin=document.ref)
            if edge.to and edge.to.document != document.ref and edge.to.document in self._kept
        }
        return Outline(
            ref=document.ref,
            title=document.title,
            kind=document.kind,
            media=document.stamp.media,
            digest=document.digest,
            sections=self._sections(document),
            cited=counted.count(document.ref),
            cited_sections=tuple(
                counted.count(document.section_ref(position)) if section.anchor else 0
                for position, section in enumerate(document.sections)
            ),
            references=tuple(references),
        )


def _is_unreal(edge: Edge) -> bool:
    return edge.outcome is Outcome.NO_FILE


def _covers(wanted: Ref | None, ref: Ref | None) -> bool:
    if wanted is None:
        return True
    return ref is not None and wanted in (ref, ref.document)
