"""The memories of a library: create, change, archive, forget, list.

Notes and revisions enter; the repository writes files and returns `Memory` records with links and marks. Search finds
memories by a question; this room only asks the index of the documents, where there is one, for the documents' names.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from msgspec.structs import replace

from pinakes.cancelling import checked, uninterrupted
from pinakes.errors import BadMemory, NotFound, StoreError
from pinakes.fuzzy import FuzzyMatcher
from pinakes.memories.backlinks import Backlinks, backlinks, key_of_state
from pinakes.memories.current_files import CurrentFiles
from pinakes.memories.files import ENDING, LARGEST, FileVersion, MemoryFiles, no_such_memory, refuse_unsafe_path
from pinakes.memories.head import Value, appended, new_file, rewritten
from pinakes.memories.links import MemoryNames, pointers, resolved_links
from pinakes.memories.location import EVERYWHERE
from pinakes.memories.marks import (
    SeenTargets,
    marks_of,
    read_seen,
    seen_version,
    succession,
    target_digests,
    write_seen,
)
from pinakes.memories.parsed_memory import ParsedMemory, read_memory
from pinakes.memories.validation import clean_text, day_of, tags_of, targets_of, title_of
from pinakes.own_folder import OwnFolder
from pinakes.ports import Reader
from pinakes.records import MEMORIES, Edge, Outcome
from pinakes.records.memory import Memory, MemoryStatus, Note, Revision, Trashed
from pinakes.write_log import logged

Digests = Mapping[str, str]
_FRESH_NS = 100_000_000
"""A file this new may change again within the resolution of its timestamp, so it is always read again."""


class MemoryRepository:
    """The memories in one folder. Every call lists the files; a file is parsed again only when it changed."""

    def __init__(self, folder: Path, root: Path, index_folder: OwnFolder) -> None:
        self.root = root
        self._is_below = folder.is_relative_to(root)
        self.is_of_one_project = folder.name != EVERYWHERE
        self.files = MemoryFiles(folder, root if self._is_below else None)
        self._current = CurrentFiles(root)
        self._index_folder = index_folder
        """The folder of the memories' index: for derived data that may be lost."""
        self._read: dict[str, ParsedMemory] = {}
        self._seen: tuple[tuple[int, ...], Mapping[str, SeenTargets]] = ((), {})

    def reader(self) -> Reader | None:
        """The index of the documents that memories point at; None while there is none."""
        return None

    def load(self) -> Mapping[str, ParsedMemory]:
        """Every memory by its path, without links and marks."""
        now = time.time_ns()
        found = {}
        for facts in checked(self.files.paths()):
            known = self._read.get(facts.path)
            if known is None or known.facts != facts or abs(now - facts.modified_ns) < _FRESH_NS:
                try:
                    known = read_memory(facts, self.files.read(facts.path))
                except NotFound:
                    continue  # deleted since it was listed
            found[facts.path] = known
        self._read = found
        return found

    def find(self, name: str) -> str:
        """The path of the memory that an id, an address or a unique title means; raises `NotFound`."""
        spelled = name.strip().removeprefix(f"{MEMORIES}:").removeprefix("./")
        found = self._names().candidates(spelled)
        if len(found) == 1:
            return found[0]
        if found:
            ids = ", ".join(path.removesuffix(ENDING) for path in found[:5])
            raise NotFound(f"“{name}” is the title of several memories.", f"Say which: {ids}.")
        refuse_unsafe_path(spelled)
        near = FuzzyMatcher().closest(
            spelled.removesuffix(ENDING), [path.removesuffix(ENDING) for path in self.load()], count=3, at_least=0.6
        )
        raise NotFound(
            no_such_memory(spelled).problem,
            f"Did you mean {' or '.join(near)}?" if near else no_such_memory(spelled).next_step,
        )

    @logged("remember")
    def write(self, note: Note) -> Memory:
        """Write a new memory; it is on disk when this returns."""
        text = clean_text(note.text)
        title = title_of(note.title, text)
        now = _now()
        fields: dict[str, Value] = {
            "title": title,
            "type": note.type.value,
            "status": MemoryStatus.ACTIVE.value,
            "tags": tags_of(note.tags),
            "created_at": now,
            "updated_at": now,
        }
        if day := day_of(note.review_by):
            fields["review_by"] = day
        if old := tuple(dict.fromkeys(self.find(name).removesuffix(ENDING) for name in note.supersedes)):
            fields["supersedes"] = old
        if links := targets_of(note.links):
            fields["related"] = links
        data = new_file(fields, text)
        seen_records = self._digests_now(data)
        if seen_records:
            data = new_file({**fields, "seen": seen_records}, text)
        path = self.files.create(title, data)
        return self._written(path, data)

    @logged("update")
    def update(self, name: str, revision: Revision) -> Memory:
        """Change a memory's text or some of its fields, and leave everything else in its file as it is. A new text, or
        `is_verified`, takes what it points at now for what was seen."""
        text = None if revision.text is None else clean_text(revision.text)
        fields: dict[str, Value | None] = {}
        if revision.title is not None:
            fields["title"] = title_of(revision.title, text or "")
        if revision.type is not None:
            fields["type"] = revision.type.value
        if revision.status is not None:
            fields["status"] = revision.status.value
        if revision.tags is not None:
            fields["tags"] = tags_of(revision.tags)
        if revision.links is not None:
            fields["related"] = targets_of(revision.links) or None
        if revision.review_by is not None:
            fields["review_by"] = day_of(revision.review_by) or None
        if text is None and not fields and not revision.is_verified:
            raise BadMemory(f"Nothing is to change in “{name}”.", "Say what: a text, a title, tags, or --verified.")
        with self.files.writing():
            path = self.find(name)
            return self._rewrite(path, fields, text, is_verified=revision.is_verified or text is not None)

    @logged("append")
    def append(self, name: str, text: str) -> Memory:
        """Add a paragraph at the end. What was there before is not taken to be verified by it."""
        more = clean_text(text)
        with self.files.writing():
            path = self.find(name)
            before = self.files.read(path)
            data = appended(before, more)
            if len(data) > LARGEST:
                raise BadMemory(
                    f"“{path.removesuffix(ENDING)}” would hold more than {LARGEST:,} bytes.", "Begin another memory."
                )
            return self._change(path, data, {}, None, self._known_digests(path, before))

    @logged("forget")
    def forget(self, name: str) -> Trashed:
        """Move a memory to the trash."""
        with self.files.writing():
            path = self.find(name)
            memory = read_memory(_no_facts(path), self.files.read(path)).memory
            return Trashed(self.files.forget(path), memory.title, memory.type, _now())

    @logged("restore")
    def restore(self, name: str) -> Memory:
        """Bring a memory back from the trash, under its old name or a free one."""
        spelled = name.strip().removeprefix(f"{MEMORIES}:")
        with self.files.writing():
            path = self.files.restore(spelled)
            return self._written(path, self.files.read(path))

    def trash(self) -> tuple[Trashed, ...]:
        """What can be restored, the latest first."""
        return tuple(
            Trashed(name, memory.title, memory.type, when)
            for name, when, data in self.files.trash()
            for memory in (read_memory(_no_facts(f"{name}{ENDING}"), data).memory,)
        )

    @logged("merge")
    def merge(self, names: Sequence[str], title: str, text: str = "") -> Memory:
        """Fold several memories into a new one that supersedes them; the old ones are archived."""
        with self.files.writing(), uninterrupted():
            paths = list(dict.fromkeys(self.find(name) for name in names))
            if len(paths) < 2:
                raise BadMemory("Merging takes at least two memories.", "pinakes memories lists them.")
            old = [read_memory(_no_facts(path), self.files.read(path)).memory for path in paths]
            whole = text or "\n\n".join(f"## {memory.title}\n\n{memory.text}" for memory in old)
            types = {memory.type for memory in old}
            note = Note(
                whole,
                title,
                old[0].type if len(types) == 1 else Note("").type,
                tuple(sorted({tag for memory in old for tag in memory.tags})),
                supersedes=tuple(memory.id for memory in old),
            )
            made = self.write(note)
            # The digests of the old memories stay: merging notes verifies nothing.
            before = {key: value for memory in reversed(old) for key, value in memory.seen.items()}
            stale = {key: before.get(key, value) for key, value in made.seen.items()}
            if stale != made.seen:
                made = self._rewrite(made.ref.path, {"seen": stale}, None, is_verified=False)
            for path in paths:
                self._rewrite(path, {"status": MemoryStatus.ARCHIVED.value}, None, is_verified=False)
            return made

    def complete(self, paths: Iterable[str], memories: Mapping[str, ParsedMemory]) -> tuple[Memory, ...]:
        """The memories at `paths`, with resolved links and with marks: the reasons to verify them."""
        asked = [memories[path] for path in paths if path in memories]
        seen_records = self._seen_targets(memories)
        successors = succession(memories)
        today = datetime.now(UTC).date()
        found = []
        for one, links in checked(zip(asked, self._links(asked, memories), strict=True)):
            path = one.facts.path
            memory = replace(one.memory, links=pointers(one.document, links))
            # What was seen in another project says nothing about a file of the same name here.
            written = memory.seen if self.is_of_one_project else {}
            seen = {**(seen_records[path].seen if path in seen_records else {}), **written}
            later = [memories[other].memory for other in successors.get(path, ())]
            found.append(replace(memory, marks=tuple(marks_of(memory, seen, self._current, later, today))))
        return tuple(found)

    def hidden(self, memories: Mapping[str, ParsedMemory]) -> frozenset[str]:
        """The paths of the memories that are archived or superseded."""
        archived = {path for path, one in memories.items() if one.memory.status is MemoryStatus.ARCHIVED}
        return frozenset(archived.union(succession(memories)))

    def backlinks(self, state: str) -> Backlinks:
        """For each address the memories that point to it, without hidden ones. `state` is the documents' generation."""
        if not self.files.exists():
            return {}
        files = self.files.paths()
        now = time.time_ns()
        if any(abs(now - facts.modified_ns) < _FRESH_NS for facts in files):
            return self._compute_backlinks()
        return backlinks(self._index_folder, key_of_state(files, state), self._compute_backlinks)

    def _compute_backlinks(self) -> Backlinks:
        memories = self.load()
        hidden = self.hidden(memories)
        shown = [one for path, one in memories.items() if path not in hidden]
        found: dict[str, dict[str, None]] = {}
        for one, links in zip(shown, self._links(shown, memories), strict=True):
            for edge in links:
                if edge.outcome is not Outcome.EXTERNAL:
                    found.setdefault(str(edge.to) if edge.to else edge.link.target, {})[one.facts.path] = None
        return {address: tuple(paths) for address, paths in found.items()}

    def _rewrite(self, path: str, fields: Mapping[str, Value | None], text: str | None, *, is_verified: bool) -> Memory:
        """Change a file. With `is_verified`, the present content of the link targets counts as seen."""
        return self._change(path, self.files.read(path), fields, text, {} if is_verified else None)

    def _change(
        self, path: str, data: bytes, fields: Mapping[str, Value | None], text: str | None, before: Digests | None
    ) -> Memory:
        """Write `data` with some fields changed. Digests in `before` stay; other targets get their present digest.

        None for `before` leaves the field `seen` as it is.
        """
        changes: dict[str, Value | None] = {**fields, "updated_at": _now()}
        new = rewritten(data, changes, text, path.removesuffix(ENDING))
        if before is not None:
            now = self._digests_now(new)
            changes["seen"] = {key: before.get(key, value) for key, value in now.items()} or None
            new = rewritten(data, changes, text, path.removesuffix(ENDING))
        self.files.replace(path, new)
        return self._written(path, new)

    def _known_digests(self, path: str, data: bytes) -> Mapping[str, str]:
        """The digests seen so far at a memory's targets: from its file, else from `seen.json`."""
        one = read_memory(_no_facts(path), data)
        (links,) = self._links([one])
        if target_digests(links, self._current).keys() <= one.memory.seen.keys():
            return one.memory.seen
        sight = self._seen_records().get(path)
        return {**(sight.seen if sight else {}), **one.memory.seen}

    def _seen_records(self) -> Mapping[str, SeenTargets]:
        """The content of `seen.json`, read again only when the file changed."""
        version = seen_version(self._index_folder)
        if not version or version != self._seen[0]:
            self._seen = version, read_seen(self._index_folder)
        return self._seen[1]

    def _written(self, path: str, data: bytes) -> Memory:
        """The memory that was just written, with its links; only its review date can give it a mark."""
        one = read_memory(_no_facts(path), data)
        with uninterrupted():
            (links,) = self._links([one])
            memory = replace(one.memory, links=pointers(one.document, links))
        today = datetime.now(UTC).date()
        return replace(memory, marks=tuple(marks_of(memory, memory.seen, self._current, (), today)))

    def _digests_now(self, data: bytes) -> Mapping[str, str]:
        (links,) = self._links([read_memory(_no_facts("new.md"), data)])
        return target_digests(links, self._current)

    def _links(
        self, asked: Sequence[ParsedMemory], memories: Mapping[str, ParsedMemory] | None = None
    ) -> tuple[tuple[Edge, ...], ...]:
        documents = [one.document for one in asked]
        reader = self.reader() if any(document.links for document in documents) else None
        read = partial(resolved_links, documents, self._names(memories), self._current, is_below=self._is_below)
        try:
            return read(reader)
        except StoreError:  # memories work even when the index of the documents is damaged
            return read(None)

    def _names(self, memories: Mapping[str, ParsedMemory] | None = None) -> MemoryNames:
        def titles() -> Mapping[str, str]:
            return {path: one.memory.title for path, one in (self.load() if memories is None else memories).items()}

        return MemoryNames(self.files.holds, titles)

    def _seen_targets(self, memories: Mapping[str, ParsedMemory]) -> Mapping[str, SeenTargets]:
        """The digests seen at each memory's targets. Memories new or changed since the last look are examined now."""
        seen_records = self._seen_records()
        new = [
            one
            for path, one in memories.items()
            if one.document.links and (path not in seen_records or seen_records[path].version != one.document.digest)
        ]
        if not new:
            return seen_records
        found = {
            one.facts.path: SeenTargets(one.document.digest, target_digests(links, self._current))
            for one, links in zip(new, self._links(new, memories), strict=True)
        }
        with suppress(OSError):  # then the digests are not stored
            self._index_folder.make(unseen=True, parents=True)  # memories may come before any index
        write_seen(self._index_folder, found, frozenset(memories))
        return {**found, **self._seen_records()}


def _no_facts(path: str) -> FileVersion:
    return FileVersion(path, 0, 0, 0, 0)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
