"""Somebody's own files beside a repository, and links to them planted in the repository's folders of ours."""

from __future__ import annotations

import os
import random
import shutil
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

import pinakes
from kits.git import Repo
from kits.hostile import SECRET
from kits.trees import write_tree
from pinakes.conversation.sessions import Sessions
from pinakes.library.corpora import store_folder
from pinakes.library.editing import Editing
from pinakes.records import CODE
from pinakes.records.conversation import SessionLine

DOCUMENTS = {
    "README.md": "# Harbour\n\nThe harbour office. See [tides](guide/tides.md) and [hours](guide/hours.txt).\n",
    "guide/hours.txt": "Open at high water.\n",
    "guide/tides.md": "# Tides\n\nHigh water comes twice a day.\n",
    "src/crane.py": "def lift(tonnes):\n    return tonnes\n",
    "pinakes.toml": "[code]\nenabled = true\n",
}
SESSION = "20260101-000000-abcdef"
EDIT = """\
guide/tides.md
<<<<<<< FIND
twice a day
=======
twice a day, or nearly
>>>>>>> END
docs/new.md
<<<<<<< FIND
=======
# New
>>>>>>> END
"""
"""An answer that changes a document and makes one."""
NEW_NAMES = (
    ".pinakes/.gitignore",
    ".pinakes/damaged.json",
    ".pinakes/healed.json",
    ".pinakes/writer.json",
    ".pinakes/library.db-journal",
    ".pinakes/library.db-wal",
    ".pinakes/write.lock-journal",
    ".pinakes/set-aside-20260101-000000",
    ".pinakes/added/update.lock-journal",
    ".pinakes/added/other",
    ".pinakes/added/site",
    ".pinakes/added/site-site.json",
    ".pinakes/added/other/.abcdef012345.pending",
    ".pinakes/added/other/abcdef012345.md",
    ".pinakes/corpora/history",
    ".pinakes/published",
    ".pinakes/words/new",
    ".pinakes/vectors/new",
    ".pinakes/corpora/code/library.db-wal",
    ".pinakes/edits/edits-doing.json",
    ".pinakes/edits/update.lock-journal",
    ".pinakes/sessions/20260101-000001-abcdef.jsonl",
    ".git/HEAD",
    ".git/config",
    ".git/index",
    ".git/index.lock",
    ".git/info",
    ".git/logs",
    ".git/logs/HEAD",
    ".git/logs/refs",
    ".git/logs/refs/heads/main",
    ".git/objects",
    ".git/objects/00",
    ".git/packed-refs",
    ".git/refs",
    ".git/refs/heads",
    ".git/refs/heads/main",
    ".git/refs/heads/main.lock",
    "README.md",
    "docs",
    "docs/new.md",
    "guide",
    "guide/hours.txt",
    "guide/tides.md",
    "moved",
    "moved/tides.md",
    "mkdocs.yml",
    "pinakes.toml",
    "src",
    "src/crane.py",
    ".memories/tide.md",
    ".memories/leak.md",
    ".memories/deep",
    ".memories/.trash/plan.md",
    ".memories/.lock/update.lock-journal",
    "site/.pinakes-writing",
    "site/.pinakes-writing.new",
    "synonyms.toml",
)


class Kind(Enum):
    """What is planted."""

    LINK = "a link to a file"
    FOLDER = "a link to a folder"
    ABSOLUTE = "a link by its absolute path"
    DANGLING = "a link to nothing"
    HARD = "a hard link"
    PIPE = "a pipe"


@dataclass(frozen=True)
class Plant:
    """One thing in one place."""

    place: str
    kind: Kind
    target: int
    """Which of the victim's files or folders."""

    @property
    def may_be_read(self) -> bool:
        """Whether it is a memory or a document by a second name. No repository can bring one, and a tree that was
        copied by hard links holds nothing else; so it is read as the file that it is, and never written through."""
        return self.kind is Kind.HARD and not self.place.startswith((".pinakes", ".git", "site"))


def victim_of(folder: Path) -> Path:
    """Files that look like ours, each with the secret in it."""
    ours = ("update.lock", "library.db", "seal.json", "a/.x.pending")
    gits = ("HEAD", "main", "heads/main")
    names = (".bashrc", "thesis.md", "list.txt", "a/notes.md", *ours, *gits)
    victim = write_tree(folder / "victim", {name: f"{SECRET} in {name}\n" * 40 for name in names})
    (victim / "empty").mkdir()
    (victim / "blank").write_bytes(b"")
    (victim / "thesis.md").chmod(0o640)
    return victim


def state_of(folder: Path) -> dict[str, tuple[int, int, int, bytes]]:
    """Every name with its rights, its identity, its time and its bytes."""
    found = {}
    for path in sorted([folder, *folder.rglob("*")]):
        facts = path.lstat()
        data = path.read_bytes() if path.is_file() else b""
        found[str(path.relative_to(folder))] = (facts.st_mode, facts.st_ino, facts.st_mtime_ns, data)
    return found


def lived_in(folder: Path) -> Path:
    """A library that was used: indexed with its code, with memories, a trash, added documents, maps, a published
    folder, edits that can be undone, a session and commits."""
    root = write_tree(folder / "root", DOCUMENTS)
    Repo(root).commit("First")
    with pinakes.open(root) as library:
        library.memories.remember("To build a crane by the harbour.", title="Plan")
        library.memories.remember("The old plan of the harbour.", title="Old")
        library.memories.forget("old")
        library.added.add_text(b"# Cranes\n\nA crane lifts forty tonnes.\n", title="Cranes", project="p")
        library.sync()
        library.search("harbour")
        library.map_text()
        library.publish(root / "site")
        library.sync(corpora=(CODE,))
        editing = Editing(library)
        opened = editing.open("guide/tides.md")
        editing.save(opened.path, opened.text + "And goes.\n", opened.digest)
        said = SessionLine("a", "2026-01-01", "user", "What is a tide?")
        Sessions(store_folder(library.config)).append(SESSION, said)
    return root


def places_in(root: Path) -> tuple[str, ...]:
    """Every path of ours in a library, and names that may come to be."""
    found = {
        str(path.relative_to(root)) for top in (".pinakes", ".memories", "site") for path in (root / top).rglob("*")
    }
    return tuple(sorted({".pinakes", ".memories", *found, *NEW_NAMES}))


def plant(root: Path, victim: Path, one: Plant) -> None:
    """Put it there; what was there before gets another name. Not through a link that was planted before it: the victim
    is for the library to leave alone, and for us."""
    place = root / one.place
    if not Path(os.path.realpath(place.parent)).is_relative_to(os.path.realpath(root)):
        return
    away = _away(root, one.place)
    with suppress(FileExistsError, NotADirectoryError, FileNotFoundError):
        place.parent.mkdir(parents=True, exist_ok=True)
        if os.path.lexists(place) and not os.path.lexists(away):
            place.rename(away)
        _make(place, victim, one)


def unplant(root: Path, one: Plant) -> None:
    """Take it away again, and put back what it took the place of; what was made there since stays."""
    place, away = root / one.place, _away(root, one.place)
    with suppress(FileNotFoundError, NotADirectoryError):
        if _is_planted(place, one):
            place.unlink()
        if os.path.lexists(away):
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            away.rename(place)


@contextmanager
def swapping(root: Path, victim: Path, plants: list[Plant], seed: int) -> Iterator[None]:
    """Plant and unplant all the time, in another thread."""
    ending = threading.Event()
    chance = random.Random(seed)

    def swap() -> None:
        while not ending.is_set():
            one = chance.choice(plants)
            with suppress(OSError):
                plant(root, victim, one)
            ending.wait(chance.uniform(0, 0.002))
            with suppress(OSError):
                unplant(root, one)
            ending.wait(chance.uniform(0, 0.002))

    thread = threading.Thread(target=swap)
    thread.start()
    try:
        yield
    finally:
        ending.set()
        thread.join()


def _away(root: Path, place: str) -> Path:
    """Beside the root, so that nothing of ours finds it."""
    folder = root.parent / "away"
    folder.mkdir(exist_ok=True)
    return folder / place.replace("/", "%")


def _make(place: Path, victim: Path, one: Plant) -> None:
    files = [path for path in sorted(victim.rglob("*")) if path.is_file()]
    folders = [victim, *(path for path in sorted(victim.rglob("*")) if path.is_dir())]
    file, folder = files[one.target % len(files)], folders[one.target % len(folders)]
    match one.kind:
        case Kind.LINK:
            place.symlink_to(os.path.relpath(file, place.parent))
        case Kind.FOLDER:
            place.symlink_to(os.path.relpath(folder, place.parent))
        case Kind.ABSOLUTE:
            place.symlink_to(folder if one.target % 2 else file)
        case Kind.DANGLING:
            place.symlink_to(victim / "nothing" if one.target % 2 else victim / "not" / "there")
        case Kind.HARD:
            os.link(file, place)
        case Kind.PIPE:
            os.mkfifo(place)


def _is_planted(place: Path, one: Plant) -> bool:
    if one.kind is Kind.HARD:
        return place.is_file() and place.lstat().st_nlink > 1
    return place.is_symlink() or place.is_fifo()
