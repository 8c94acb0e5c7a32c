"""All memories of a library: written, changed, put aside and looked at.

Notes and revisions enter, files are written, `Memory`s with their links and marks leave. Finding them by a question is
the business of search; this room only asks an index of the documents, where there is one, what documents are called.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from pinakes.atomic import make_unseen
from pinakes.errors import BadMemory, NotFound, StoreError
from pinakes.likeness import Likeness
from pinakes.memories.backlinks import Pointing, backlinks, key_of_state
from pinakes.memories.files import ENDING, LARGEST, Facts, MemoryFiles, refuse_tricks, unknown
from pinakes.memories.head import Value, appended, new_file, rewritten
from pinakes.memories.kept import Kept, read_memory
from pinakes.memories.links import Called, pointers
from pinakes.memories.marks import marks_of, sights_of
from pinakes.memories.present import Present
from pinakes.memories.sights import Sight, keep_sights, read_sights, sights_version
from pinakes.memories.words import cleaned, day_of, tags_of, targets_of, title_of
from pinakes.ports import Reader
from pinakes.records import MEMORIES, Outcome
from pinakes.records.memory import Memory, MemoryStatus, Note, Pointer, Revision, Trashed

Documents = Callable[[], Reader | None]
"""The index of the documents; None while there is none."""
_FRESH_NS = 100_000_000
"""A file this new may be written again without its time changing, so what was read of it is not believed twice."""


class Shelf:
    """The memories in one folder. Every question looks at the files again; those unchanged are not read twice."""

    def __init__(self, folder: Path, root: Path, beside: Path, home: Path, documents: Documents) -> None:
        self._is_below = folder.is_relative_to(root)
        self._files = MemoryFiles(folder, root if self._is_below else None)
        self._present = Present(root)
        self._beside = beside
        """The folder of the memories' index, for what may be lost."""
        self._home = home
        """The library's, which holds it."""
        self._documents = documents
        self._read: dict[str, Kept] = {}
        self._seen: tuple[tuple[int, ...], Mapping[str, Sight]] = ((), {})

    def exists(self) -> bool:
        """Whether anything was ever remembered here."""
        return self._files.exists()

    def kept(self) -> Mapping[str, Kept]:
        """Every memory by its path, without links and marks."""
        now = time.time_ns()
        found = {}
        for facts in self._files.paths():
            known = self._read.get(facts.path)
            if known is None or known.facts != facts or abs(now - facts.modified_ns) < _FRESH_NS:
                try:
                    known = read_memory(facts, self._files.read(facts.path))
                except NotFound:
                    continue  # it went while we looked
            found[facts.path] = known
        self._read = found
        return found

    def find(self, name: str) -> str:
        """The path of the memory that an id, an address or a unique title means; raises `NotFound`."""
        said = name.strip().removeprefix(f"{MEMORIES}:").removeprefix("./")
        found = self._called().candidates(said)
        if len(found) == 1:
            return found[0]
        if found:
            raise NotFound(
                f"“{name}” is the title of several memories.", f"Say which: {', '.join(map(_id, found[:5]))}."
            )
        refuse_tricks(said)
        near = Likeness().closest(said.removesuffix(ENDING), [_id(path) for path in self.kept()], count=3, at_least=0.6)
        raise NotFound(unknown(said).problem, f"Did you mean {' or '.join(near)}?" if near else unknown(said).next_step)

    def remember(self, note: Note) -> Memory:
        """Write a new memory; it is on disk when this returns."""
        text = cleaned(note.text)
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
        if old := tuple(dict.fromkeys(_id(self.find(name)) for name in note.supersedes)):
            fields["supersedes"] = old
        if links := targets_of(note.links):
            fields["related"] = links
        data = new_file(fields, text)
        sights = self._sights(data)
        if sights:
            data = new_file({**fields, "seen": sights}, text)
        path = self._files.create(title, data)
        return self._written(path, data)

    def revise(self, name: str, revision: Revision) -> Memory:
        """Change some fields of a memory, or its text, and leave everything else in its file as it is."""
        text = None if revision.text is None else cleaned(revision.text)
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
        with self._files.writing():
            path = self.find(name)
            return self._rewrite(path, fields, text, is_verified=revision.is_verified or text is not None)

    def append(self, name: str, text: str) -> Memory:
        """Add a paragraph at the end. What was there before is not taken to be verified by it."""
        more = cleaned(text)
        with self._files.writing():
            path = self.find(name)
            before = self._files.read(path)
            data = appended(before, more)
            if len(data) > LARGEST:
                raise BadMemory(f"“{_id(path)}” would hold more than {LARGEST:,} bytes.", "Begin another memory.")
            return self._change(path, data, {}, None, self._known_sights(path, before))

    def forget(self, name: str) -> Trashed:
        """Move a memory to the trash."""
        with self._files.writing():
            path = self.find(name)
            memory = read_memory(_no_facts(path), self._files.read(path)).memory
            return Trashed(self._files.forget(path), memory.title, memory.type, _now())

    def restore(self, name: str) -> Memory:
        """Bring a memory back from the trash, under its old name or a free one."""
        said = name.strip().removeprefix(f"{MEMORIES}:")
        with self._files.writing():
            path = self._files.restore(said)
            return self._written(path, self._files.read(path))

    def trash(self) -> tuple[Trashed, ...]:
        """What can be restored, the latest first."""
        return tuple(
            Trashed(name, memory.title, memory.type, when)
            for name, when, data in self._files.trash()
            for memory in (read_memory(_no_facts(f"{name}{ENDING}"), data).memory,)
        )

    def merge(self, names: Sequence[str], title: str, text: str = "") -> Memory:
        """Fold several memories into a new one that supersedes them; the old ones are archived."""
        with self._files.writing():
            paths = list(dict.fromkeys(self.find(name) for name in names))
            if len(paths) < 2:
                raise BadMemory("Merging takes at least two memories.", "pinakes memories lists them.")
            old = [read_memory(_no_facts(path), self._files.read(path)).memory for path in paths]
            whole = text or "\n\n".join(f"## {memory.title}\n\n{memory.text}" for memory in old)
            types = {memory.type for memory in old}
            note = Note(
                whole,
                title,
                old[0].type if len(types) == 1 else Note("").type,
                tuple(sorted({tag for memory in old for tag in memory.tags})),
                supersedes=tuple(memory.id for memory in old),
            )
            made = self.remember(note)
            # What somebody saw before stays what was seen: folding notes together verifies nothing.
            before = {key: value for memory in reversed(old) for key, value in memory.seen.items()}
            stale = {key: before.get(key, value) for key, value in made.seen.items()}
            if stale != made.seen:
                made = self._rewrite(made.ref.path, {"seen": stale}, None, is_verified=False)
            for path in paths:
                self._rewrite(path, {"status": MemoryStatus.ARCHIVED.value}, None, is_verified=False)
            return made

    def complete(self, paths: Iterable[str], kept: Mapping[str, Kept]) -> tuple[Memory, ...]:
        """Some of the memories with where their links lead and what speaks against believing them."""
        asked = [kept[path] for path in paths if path in kept]
        sights = self._look(kept)
        successors = succession(kept)
        today = datetime.now(UTC).date()
        found = []
        for one, links in zip(asked, self._pointers(asked, kept), strict=True):
            path = one.facts.path
            memory = replace(one.memory, links=links)
            seen = {**(sights[path].seen if path in sights else {}), **memory.seen}
            later = [kept[other].memory for other in successors.get(path, ())]
            found.append(replace(memory, marks=tuple(marks_of(memory, seen, self._present, later, today))))
        return tuple(found)

    def hidden(self, kept: Mapping[str, Kept]) -> frozenset[str]:
        """The paths of those that are archived or superseded."""
        archived = {path for path, one in kept.items() if one.memory.status is MemoryStatus.ARCHIVED}
        return frozenset(archived.union(succession(kept)))

    def pointing(self, state: str) -> Pointing:
        """By address, the memories that point there, hidden ones left out; `state` names that of the documents."""
        if not self._files.exists():
            return {}
        files = self._files.paths()
        now = time.time_ns()
        if any(abs(now - facts.modified_ns) < _FRESH_NS for facts in files):
            return self._turned()
        return backlinks(self._beside, key_of_state(files, state), self._turned)

    def _turned(self) -> Pointing:
        kept = self.kept()
        hidden = self.hidden(kept)
        shown = [one for path, one in kept.items() if path not in hidden]
        found: dict[str, dict[str, None]] = {}
        for one, links in zip(shown, self._pointers(shown, kept), strict=True):
            for link in links:
                if link.outcome is not Outcome.EXTERNAL:
                    found.setdefault(str(link.to) if link.to else link.target, {})[one.facts.path] = None
        return {address: tuple(paths) for address, paths in found.items()}

    def _rewrite(self, path: str, fields: Mapping[str, Value | None], text: str | None, *, is_verified: bool) -> Memory:
        """Change a file; `is_verified` takes what its links lead to now for what was seen."""
        return self._change(path, self._files.read(path), fields, text, {} if is_verified else None)

    def _change(
        self,
        path: str,
        data: bytes,
        fields: Mapping[str, Value | None],
        text: str | None,
        before: Mapping[str, str] | None,
    ) -> Memory:
        """Write `data` with some fields changed. Unless None, what was seen `before` stays; the rest is seen now."""
        changes: dict[str, Value | None] = {**fields, "updated_at": _now()}
        new = rewritten(data, changes, text, _id(path))
        if before is not None:
            now = self._sights(new)
            changes["seen"] = {key: before.get(key, value) for key, value in now.items()} or None
            new = rewritten(data, changes, text, _id(path))
        self._files.replace(path, new)
        return self._written(path, new)

    def _known_sights(self, path: str, data: bytes) -> Mapping[str, str]:
        """What was seen of a memory's targets so far, by its file or beside it."""
        one = read_memory(_no_facts(path), data)
        (links,) = self._pointers([one])
        if sights_of(links, self._present).keys() <= one.memory.seen.keys():
            return one.memory.seen
        sight = self._sights_beside().get(path)
        return {**(sight.seen if sight else {}), **one.memory.seen}

    def _sights_beside(self) -> Mapping[str, Sight]:
        """What is kept beside the index; read again only when it was written again."""
        version = sights_version(self._beside)
        if not version or version != self._seen[0]:
            self._seen = version, read_sights(self._beside)
        return self._seen[1]

    def _written(self, path: str, data: bytes) -> Memory:
        """What was just written, with its links; nothing speaks against it yet but its date."""
        one = read_memory(_no_facts(path), data)
        (links,) = self._pointers([one])
        memory = replace(one.memory, links=links)
        today = datetime.now(UTC).date()
        return replace(memory, marks=tuple(marks_of(memory, memory.seen, self._present, (), today)))

    def _sights(self, data: bytes) -> Mapping[str, str]:
        (links,) = self._pointers([read_memory(_no_facts("new.md"), data)])
        return sights_of(links, self._present)

    def _pointers(
        self, asked: Sequence[Kept], kept: Mapping[str, Kept] | None = None
    ) -> tuple[tuple[Pointer, ...], ...]:
        documents = [one.document for one in asked]
        reader = self._documents() if any(document.links for document in documents) else None
        read = partial(pointers, documents, self._called(kept), self._present, is_below=self._is_below)
        try:
            return read(reader)
        except StoreError:  # whatever state the index of the documents is in, a note is written down and read
            return read(None)

    def _called(self, kept: Mapping[str, Kept] | None = None) -> Called:
        def titles() -> Mapping[str, str]:
            return {path: one.memory.title for path, one in (self.kept() if kept is None else kept).items()}

        return Called(self._files.holds, titles)

    def _look(self, kept: Mapping[str, Kept]) -> Mapping[str, Sight]:
        """What was seen at each memory's targets; those never looked at in this version are looked at now."""
        sights = self._sights_beside()
        new = [
            one
            for path, one in kept.items()
            if one.document.links and (path not in sights or sights[path].version != _version(one))
        ]
        if not new:
            return sights
        found = {
            one.facts.path: Sight(_version(one), sights_of(links, self._present))
            for one, links in zip(new, self._pointers(new, kept), strict=True)
        }
        with suppress(OSError):  # then nothing is kept
            make_unseen(self._beside, self._home)  # memories may come before any index
        keep_sights(self._beside, found, frozenset(kept))
        return {**found, **self._sights_beside()}


def succession(kept: Mapping[str, Kept]) -> Mapping[str, tuple[str, ...]]:
    """For each path the memories that took its place. Those that claim each other's place leave things as they are."""
    claims: dict[str, set[str]] = {}
    for path, one in kept.items():
        for name in one.memory.supersedes:
            old = f"{name.removeprefix(f'{MEMORIES}:').removesuffix(ENDING)}{ENDING}"
            if old in kept and old != path:
                claims.setdefault(path, set()).add(old)
    found: dict[str, list[str]] = {}
    for path, olds in claims.items():
        for old in olds:
            if path not in _reached(old, claims):
                found.setdefault(old, []).append(path)
    return {old: tuple(sorted(paths)) for old, paths in found.items()}


def _reached(start: str, claims: Mapping[str, set[str]]) -> set[str]:
    reached: set[str] = set()
    waiting = [start]
    while waiting:
        for old in claims.get(waiting.pop(), ()):
            if old not in reached:
                reached.add(old)
                waiting.append(old)
    return reached


def _version(one: Kept) -> str:
    return one.document.digest


def _id(path: str) -> str:
    return path.removesuffix(ENDING)


def _no_facts(path: str) -> Facts:
    return Facts(path, 0, 0, 0, 0)


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
