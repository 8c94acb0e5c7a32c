"""Links that lead from the folders of ours in a repository to somebody's own files, one kind after another."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import suppress
from pathlib import Path

from kits.hostile import SECRET
from kits.trees import write_tree

RECORD = {
    "id": "abcdef012345",
    "project": "p",
    "title": "Key",
    "origin": "text",
    "source": "",
    "type": "markdown",
    "added": "2026-01-01T00:00:00+00:00",
    "checked": "",
    "digest": "",
    "etag": "",
    "last_modified": "",
    "size": 1,
    "is_titled": True,
    "voucher": "",
}


def victim_beside(folder: Path) -> Path:
    """Somebody's own files, beside a repository."""
    names = (".bashrc", "thesis.md", "list.txt", "inner/.history", "inner/notes.md")
    victim = write_tree(folder / "victim", {name: f"{SECRET} {name}\n" * 50 for name in names})
    (victim / "library.db").write_bytes(b"")
    return victim


def state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(path): (path.lstat().st_mode, path.lstat().st_ino, path.read_bytes() if path.is_file() else b"")
        for path in sorted([folder, *folder.rglob("*")])
    }


def link(place: Path, target: Path) -> None:
    """Put a link there; what lies there is set aside. A watcher may make a folder anew in between: then once more."""
    place.parent.mkdir(parents=True, exist_ok=True)
    away = _away(place)
    if place.exists():
        place.rename(away)
    while not place.is_symlink():
        with suppress(FileExistsError):
            place.symlink_to(os.path.relpath(target, place.parent))
            return
        shutil.rmtree(place, ignore_errors=True)


def undo(root: Path) -> None:
    """Take links out of the index and put back what they took the place of."""
    for place in [root / ".pinakes", *(root / ".pinakes").rglob("*")]:
        if place.is_symlink():
            place.unlink()
            while _away(place).exists():
                with suppress(OSError):  # or a watcher has made a folder there
                    _away(place).rename(place)
                    break
                shutil.rmtree(place, ignore_errors=True)


def _away(place: Path) -> Path:
    return place.with_name(f"{place.name}-away")


def _added_folder(root: Path, victim: Path) -> None:
    link(root / ".pinakes" / "added" / "evil", victim)


def _added_text(root: Path, victim: Path) -> None:
    home = root / ".pinakes" / "added" / "p"
    link(home / "abcdef012345.md", victim / "thesis.md")
    (home / "abcdef012345.json").write_text(json.dumps(RECORD))


def _added_lock(root: Path, victim: Path) -> None:
    link(root / ".pinakes" / "added" / "update.lock", victim / ".bashrc")


def _whole_store(root: Path, victim: Path) -> None:
    link(root / ".pinakes", victim)


def _database(root: Path, victim: Path) -> None:
    link(root / ".pinakes" / "library.db", victim / "thesis.md")


def _write_lock(root: Path, victim: Path) -> None:
    link(root / ".pinakes" / "write.lock", victim / ".bashrc")


def _corpora(root: Path, victim: Path) -> None:
    link(root / ".pinakes" / "corpora", victim)


def _maps(root: Path, victim: Path) -> None:
    link(root / ".pinakes" / "maps", victim)


def _records(root: Path, victim: Path) -> None:
    for name in ("damaged.json", "healed.json", "seal.json", "writer.json", ".gitignore"):
        link(root / ".pinakes" / name, victim / ".bashrc")


PLANTED = [_added_folder, _added_text, _added_lock, _whole_store, _database, _write_lock, _corpora, _maps, _records]
