"""Two readings of the same files compared: ours, and that of a program that is sure of its language.

Files enter, a `Comparison` leaves: how many symbols both have, and which only one of them has.
"""

from __future__ import annotations

import shutil
import subprocess
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from pinakes.parse import parse
from pinakes.records import CODE, Document, Raw, Ref, Stamp, SymbolParameter, code_media_of


class Seen(NamedTuple):
    """One symbol as a reader of it tells it; what that reader does not tell is the same for all."""

    path: str
    name: str
    """With the names around it, as far as both sides tell them."""
    kind: str
    line: int
    """From 1."""
    end: int = 0
    parameters: tuple[SymbolParameter, ...] | None = None


@dataclass(slots=True)
class Comparison:
    """What two readers see in the same files."""

    files: int = 0
    both: int = 0
    ours_alone: list[Seen] = field(default_factory=list)
    theirs_alone: list[Seen] = field(default_factory=list)

    @property
    def share(self) -> float:
        """Symbols that both see alike, among all that either sees; a symbol seen in two ways counts once."""
        most = self.both + max(len(self.ours_alone), len(self.theirs_alone))
        return self.both / most if most else 1.0

    def add(self, ours: Iterable[Seen], theirs: Iterable[Seen]) -> None:
        """One more file."""
        mine, other = Counter(ours), Counter(theirs)
        self.files += 1
        self.both += (mine & other).total()
        self.ours_alone += (mine - other).elements()
        self.theirs_alone += (other - mine).elements()

    def take(self, other: Comparison) -> None:
        """The files of another comparison, too."""
        self.files += other.files
        self.both += other.both
        self.ours_alone += other.ours_alone
        self.theirs_alone += other.theirs_alone

    def told(self, name: str, most: int = 12, what: str = "symbols") -> str:
        """The figure as a sentence, and the first of the differences."""
        lines = [f"{name}: {self.share:.2%} of {self.both + len(self.theirs_alone):,} {what} in {self.files:,} files"]
        for side, found in (("only ours", self.ours_alone), ("only theirs", self.theirs_alone)):
            lines += [f"  {side}: {one.path}:{one.line} {one.kind} {one.name} {one[4:]}" for one in found[:most]]
        return "\n".join(lines)


def read_as_code(root: Path, path: str) -> Document:
    """A file below a root, read by its language."""
    media = code_media_of(path.rpartition("/")[2])
    return parse(Raw(Stamp(Ref(CODE, path), "", media), (root / path).read_bytes(), path))


def files_below(root: Path, endings: Sequence[str]) -> list[str]:
    """The files with some endings, in order."""
    found = (path for path in root.rglob("*") if path.suffix in endings and path.is_file())
    return sorted(path.relative_to(root).as_posix() for path in found)


def bring(folder: Path, packages: Sequence[str]) -> str:
    """Have npm put packages into a folder, without running anything of theirs; a sentence where it cannot."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        return "npm and node are not installed"
    if all((folder / "node_modules" / name.partition("@")[0]).is_dir() for name in packages):
        return ""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["npm", "install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(folder)]
    done = subprocess.run([*command, *packages], capture_output=True, text=True, check=False)
    return "" if done.returncode == 0 else f"npm could not bring them: {done.stderr.strip()[:200]}"
