"""Which files of a published folder are ours to hand out?

A folder and a path as somebody asked for it enter, the name of a file leaves, or nothing. Only what the manifest names
is handed out: what else lies in the folder, the manifest and hidden files among it, is nobody's business.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path

from pinakes.errors import PublishError
from pinakes.publish.folder import MARKER
from pinakes.publish.part import SCRIPTS, held_texts

_ENTRIES = ("index.html", "index.json")
"""What a folder is handed out as, the first one that it has."""
_NO_NAMES = ("", ".", "..")


class Listing:
    """The files of one folder; looks again when it was published again."""

    def __init__(self, root: Path) -> None:
        self.root = os.path.realpath(root)
        self._seen: tuple[int, ...] = ()
        self._names: dict[str, str] = {}
        """Each file, and the part that it belongs to."""
        self._scripts: dict[str, list[str]] = {}
        self._look()
        if not self._names:
            raise PublishError(f"Nothing was published in {root}.", "pinakes publish OUT writes a folder to serve.")

    def named(self, path: str) -> str:
        """The file that a path means, `guide/` for its index too; empty for none."""
        self._look()
        if path in self._names:
            return path
        if path and not path.endswith("/"):
            return ""
        return next((path + entry for entry in _ENTRIES if path + entry in self._names), "")

    def is_page(self, name: str) -> bool:
        """Whether a file is a page of ours, in which nothing of a document acts."""
        return self._names.get(name, "").startswith("page ")

    def scripts(self, name: str) -> Sequence[str]:
        """The scripts that a page needs."""
        self._look()
        return self._scripts.get(name, ())

    def is_frame(self, name: str) -> bool:
        """Whether a file is what pages draw diagrams in."""
        return self._names.get(name) == SCRIPTS and name.endswith(".html")

    def twin(self, name: str, suffix: str) -> str:
        """The file that holds another compressed, made together with it; empty for none."""
        part = self._names.get(name)
        return f"{name}{suffix}" if part is not None and self._names.get(f"{name}{suffix}") == part else ""

    def _look(self) -> None:
        """Read the manifest when it is another than last time; while there is none, what was known stays."""
        place = os.path.join(self.root, MARKER)
        try:
            facts = os.lstat(place)
            seen = (facts.st_ino, facts.st_mtime_ns, facts.st_size)
            if seen == self._seen:
                return
            parts = json.loads(Path(place).read_bytes())["parts"]
            self._scripts = {
                str(name): held_texts(held["facts"], SCRIPTS)
                for held in parts.values()
                if SCRIPTS in held["facts"]
                for name in held["files"]
            }
            self._names = {
                str(name): part for part, held in parts.items() for name in held["files"] if _is_below(str(name))
            }
            self._seen = seen
        except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError):
            return


def _is_below(name: str) -> bool:
    return not any(part in _NO_NAMES or "\0" in part or "\\" in part for part in name.split("/"))
