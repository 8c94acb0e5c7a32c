"""How what is in a library gets other names: documents, folders and headings.

    plan = library.plan_move("guide/auth.md", "manual/login.md")
    plan = library.plan_rename("guide/auth.md#tokens", "API keys")
    library.apply(plan)
    library.undo_move()

A plan writes nothing; it is a record of edits and moves (`pinakes.records.moves`) that an editor may show and carry out
itself.
"""

from __future__ import annotations

import os
import posixpath
import stat
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path

from msgspec.structs import replace

from pinakes.errors import BadMove, NotFound, PinakesError
from pinakes.file_changes import Disk, digest_of
from pinakes.library.addresses import corpus_named_in, written_out
from pinakes.library.corpus import Corpus
from pinakes.library.library_corpora import LibraryCorpora
from pinakes.library.moved_memories import with_memories
from pinakes.library.named_in_code import named_in_code
from pinakes.library.navigation import named_in_navigation
from pinakes.moves import plan as planning
from pinakes.moves.apply import apply, undo
from pinakes.moves.diff import diff
from pinakes.moves.journal import Journal
from pinakes.moves.renaming import Renaming
from pinakes.passages import locate
from pinakes.records import CODE, DOCS, MEMORIES, CorpusName, Ref, media_of
from pinakes.records.moves import MovePlan, MoveResult, MoveState
from pinakes.sources import FolderSource
from pinakes.sources.folder_rules import NEVER_ENTERED
from pinakes.sources.git.uncommitted import uncommitted
from pinakes.write_log import logged

_WAIT_S = 30.0
_MOST_NAMED = 3
_LONGEST_PATH = 4000


class Moving:
    """Gives what is in a library other names."""

    def __init__(self, library: LibraryCorpora) -> None:
        self._library = library
        self._docs = library.corpus(DOCS)
        self.root = library.root

    def plan_move(self, source: str, target: str) -> MovePlan:
        """What moving a document, file or folder to another path would change."""
        home, rest = self._fresh_home(source)
        old = _source(home, rest)
        return self._planned(home, old, _target(home, old, target))

    def plan_rename(self, address: str, name: str) -> MovePlan:
        """What another heading or another name in the same folder would change."""
        home, rest = self._fresh_home(address)
        old = "" if "#" in rest and not _is_known(home, rest) else _source(home, rest)
        if old:
            if "/" in name.rstrip("/") or not name.strip("/."):
                raise BadMove(f"“{name}” is no name of a file.", "To put it into another folder, use pinakes move.")
            folder, ending = posixpath.dirname(old), posixpath.splitext(old)[1]
            is_bare = _is_file(home, old) and media_of(old).is_document and not media_of(name).is_document
            new = posixpath.join(folder, f"{name}{ending}" if is_bare else name.rstrip("/"))
            disk = Disk(_root(home), BadMove)
            if disk.facts(new) is not None and not disk.is_same_name(old, new):
                raise BadMove(f"{new} exists already.", "Choose another name, or move that away first.")
            return self._planned(home, old, _target(home, old, new))
        section = locate(home.store, home.name, rest)
        if not rest.removeprefix("./").startswith(f"{section.path}#"):
            raise NotFound(f"There is no {rest}.", f"Did you mean {section.path}#{section.anchor}?")
        plan, names = planning.rename(home.store, section, name)
        _refuse(home, plan, names)
        return self._completed(home, plan, names)

    @logged("move")
    def apply(self, plan: MovePlan, *, force: bool = False) -> MoveResult:
        """Carry a plan out, all of it or nothing; raises `BadMove`."""
        roots = self._roots(plan)
        if not force:
            self._refuse_uncommitted(plan)
        with self._writing(plan):
            apply(plan, roots, Journal(self.root))
        self._outdate(plan)
        return MoveResult(plan, MoveState.DONE)

    @logged("move")
    def undo(self) -> MoveResult:
        """Take the last move or rename back, byte for byte; raises `NotFound` when there is none."""
        entry = Journal(self.root).read()
        roots = self._roots(entry.plan) if entry else {}
        with ExitStack() as held:
            if entry:
                held.enter_context(self._writing(entry.plan))
            plan = undo(roots, Journal(self.root))
        self._outdate(plan)
        return MoveResult(plan, MoveState.UNDONE)

    def diff(self, plan: MovePlan) -> str:
        """A plan as a unified diff."""
        return diff(plan, self.files_of(plan))

    def files_of(self, plan: MovePlan) -> Mapping[Ref, bytes]:
        """The files that a plan edits, as they are now; raises `BadMove` when one has been changed since."""
        disks = {name: Disk(root, BadMove) for name, root in self._roots(plan).items()}
        files = {}
        for edited in plan.files:
            files[edited.ref] = disks[edited.ref.corpus].read(edited.ref.path)
            if digest_of(files[edited.ref]) != edited.digest:
                raise BadMove(f"{edited.ref.label} has been changed since.", "Make the plan again.")
        return files

    def _fresh_home(self, address: str) -> tuple[Corpus, str]:
        """The corpus that an address names, made to agree with the disk, and the rest of it."""
        self._library.recover_moves()
        _refresh(self._docs)
        known = {name: self._library.corpus(name) for name in self._library.corpora}
        home, rest = corpus_named_in(known, address) or (self._docs, address)
        if home.name.partition("@")[0] != DOCS:
            raise BadMove(f"Only documents can be moved; {address} is none.", "Name a file below the root.")
        if home is not self._docs:
            _refresh(home)
        return home, written_out(home, rest)

    def _planned(self, home: Corpus, old: str, new: str) -> MovePlan:
        plan, names = planning.move(home.store, home.name, old, new)
        _refuse(home, plan, names)
        return self._completed(home, plan, names)

    def _completed(self, home: Corpus, plan: MovePlan, names: Renaming) -> MovePlan:
        """The plan with memories, and without links to files: their targets are edited and looked at."""
        assert isinstance(home.source, FolderSource)
        links = home.source.followed_links()
        edited = {one.ref.path for one in plan.files}
        alone = [one for one in plan.files if one.ref.path in links and links[one.ref.path] not in edited]
        notes = [f"{one.ref.label} is a link to another file; change its text by hand." for one in alone]
        notes += named_in_navigation(home.source, names.sites, names.paths)
        code = self._library.corpus(CODE) if CODE in self._library.corpora else None
        if home is self._docs and code is not None and code.is_indexed:
            code.refresh(wait_s=_WAIT_S, keywords_s=0.0)
            notes += named_in_code(code, names)
        files = tuple(one for one in plan.files if one.ref.path not in links)
        carried = tuple(one for one in plan.carried if one.ref.path not in links)
        plan = replace(plan, files=files, carried=carried, notes=(*plan.notes, *notes))
        return with_memories(plan, self._library.memories, names) if home is self._docs else plan

    def _roots(self, plan: MovePlan) -> dict[CorpusName, Path]:
        names = {one.ref.corpus for one in (*plan.files, *plan.carried)} | {one.old.corpus for one in plan.moves}
        return {
            name: self._library.memories.folder if name == MEMORIES else _root(self._library.corpus(name))
            for name in sorted(names)
        }

    def _refuse_uncommitted(self, plan: MovePlan) -> None:
        found: list[str] = []
        for name, root in self._roots(plan).items():
            disk = Disk(root, BadMove)
            paths = [one.ref.path for one in (*plan.files, *plan.carried) if one.ref.corpus == name]
            found += uncommitted(root, {path: disk.read(path) for path in paths})
        if found:
            more = f" and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
            raise BadMove(
                f"Git has not committed the last changes in {', '.join(found[:_MOST_NAMED])}{more}.",
                "Commit them first, so that the move can be told from them, or use --force.",
            )

    def _writing(self, plan: MovePlan) -> ExitStack:
        """Hold what others may write meanwhile."""
        held = ExitStack()
        if any(one.ref.corpus == MEMORIES for one in plan.files):
            held.enter_context(self._library.memories.files.writing())
        return held

    def _outdate(self, plan: MovePlan) -> None:
        for name in self._roots(plan):
            self._library.corpus(name).outdate()


def _refresh(home: Corpus) -> None:
    done = home.refresh(wait_s=_WAIT_S, keywords_s=0.0)
    if done.report is None and done.trouble is not None:
        raise done.trouble


def _root(home: Corpus) -> Path:
    assert isinstance(home.source, FolderSource)
    return home.source.root


def _is_file(home: Corpus, path: str) -> bool:
    return path in home.store.files(home.name, [path])


def _is_known(home: Corpus, path: str) -> bool:
    """Whether a path is that of a file or of a folder."""
    return bool(home.store.files(home.name, [path]))


def _source(home: Corpus, typed: str) -> str:
    """The path of the file or folder that is meant; raises `NotFound` and `BadMove`."""
    path = typed.strip("/").removeprefix("./")
    if not path or path == ".":
        raise BadMove("The root itself cannot be moved.", "Name a document or folder in it.")
    if any(part.startswith(".") for part in path.split("/")):
        raise BadMove(f"“{path}” is hidden, and nothing hidden is moved.", "Name a document, file or folder.")
    if _is_known(home, path):
        return path
    facts = None
    with suppress(PinakesError, OSError, ValueError):
        facts = Disk(_root(home), BadMove).facts(path)
    if facts is not None:
        assert isinstance(home.source, FolderSource)
        raise BadMove(f"Only what is indexed can be moved: {home.source.why(path)}", "Move it by hand.")
    ref = locate(home.store, home.name, path)
    if ref.anchor:
        raise BadMove(f"{ref.label}#{ref.anchor} is a heading.", "Give it other words with pinakes rename.")
    # Reading may guess what is meant; what writes must be told.
    raise NotFound(f"There is no {path}.", f"Did you mean {ref.path}?")


def _target(home: Corpus, old: str, typed: str) -> str:
    """The new path from the root; raises `BadMove`."""
    root, disk = os.path.realpath(_root(home)), Disk(_root(home), BadMove)
    whole = os.path.normpath(os.path.join(root, typed))
    if not typed.strip() or any(unicodedata.category(sign) == "Cc" for sign in typed) or len(typed) > _LONGEST_PATH:
        raise BadMove("The new path is empty or holds signs that no path should hold.", "Name a path below the root.")
    if whole != root and not whole.startswith(root.rstrip(os.sep) + os.sep):
        raise BadMove(f"{typed} lies outside of {root}.", "Name a path below the root.")
    new = "" if whole == root else whole[len(root.rstrip(os.sep)) + 1 :].replace(os.sep, "/")
    if hidden := next((part for part in new.split("/") if part.startswith(".") or part in NEVER_ENTERED), ""):
        raise BadMove(f"Nothing is moved to {new}: {NEVER_ENTERED.get(hidden, 'it is hidden')}.", "Name another path.")
    folder = new if typed.endswith(("/", os.sep)) else posixpath.dirname(new)
    if file := next((place for place in _with_folders_above(folder) if _is_plain_file(disk, place)), ""):
        raise BadMove(f"{file} is a file, and nothing can lie below it.", "Name another folder.")
    facts = disk.facts(new) if new else None
    is_folder = not new or (facts is not None and stat.S_ISDIR(facts.st_mode) and not disk.is_same_name(old, new))
    if is_folder or typed.endswith(("/", os.sep)):
        new = posixpath.join(new, posixpath.basename(old))
        facts = disk.facts(new)
    if new == old:
        raise BadMove(f"{old} is there already.", "Name another path.")
    if facts is not None and not disk.is_same_name(old, new):
        raise BadMove(f"{new} exists already.", "Choose another name, or move that away first.")
    return new


def _with_folders_above(folder: str) -> Iterator[str]:
    """A folder below the root and those that it lies in, the outermost first."""
    names = folder.split("/") if folder else []
    yield from ("/".join(names[: count + 1]) for count in range(len(names)))


def _is_plain_file(disk: Disk, path: str) -> bool:
    facts = disk.facts(path)
    return facts is not None and stat.S_ISREG(facts.st_mode)


def _refuse(home: Corpus, plan: MovePlan, names: Renaming) -> None:
    """Raise `BadMove` for a move that must not be made."""
    assert isinstance(home.source, FolderSource)
    for one in plan.moves:
        old, new = one.old.path, one.new.path
        if one.is_folder and new.startswith(f"{old}/"):
            raise BadMove(f"{old} cannot be moved into itself.", "Name another folder.")
        if not one.is_folder and media_of(posixpath.basename(new)) is not media_of(posixpath.basename(old)):
            ending = posixpath.splitext(old)[1]
            raise BadMove(
                f"{new} would not be read as {old} is.",
                f"Write {posixpath.splitext(new)[0]}{ending}, or {new}/ for a folder.",
            )
        left_out = home.source.why_not([new], is_folder=one.is_folder) or home.source.why_not(names.paths.values())
        if left_out is not None:
            raise BadMove(f"{left_out[0]} would not be indexed: {left_out[1]}.", "Name another path.")
        for place in _never_moved(os.path.join(os.path.realpath(_root(home)), old)) if one.is_folder else ():
            raise BadMove(f"{old} holds {place}, which is never moved.", "Move the documents in it.")
    links = home.source.followed_links()
    moved = {path: target for path, target in links.items() if path in names.paths or target in names.paths}
    for path, target in moved.items():
        is_together = path in names.paths and target in names.paths
        if not is_together or not _stays_right(home, path, names.paths[path], plan.new.path):
            raise BadMove(f"{path} is a link to {target}, and would lead nowhere.", "Remove the link first.")


def _stays_right(home: Corpus, path: str, new_path: str, folder: str) -> bool:
    """Whether a link that moves along with the whole `folder` will still lead into it."""
    written = os.readlink(os.path.join(_root(home), path)).replace(os.sep, "/")
    return posixpath.normpath(posixpath.join(posixpath.dirname(new_path), written)).startswith(f"{folder}/")


def _never_moved(folder: str) -> Iterator[str]:
    """Repositories and indexes below a folder."""
    for place, folders, files in os.walk(folder):
        for name in (*folders, *files):
            if name in (".git", ".pinakes"):
                yield os.path.relpath(os.path.join(place, name), folder)
