"""Paths as the map prints them: short, and always possible to spell out again.

A file stands by its name under the line of its folder. Where a link leads, a name without a slash is in the same folder
as the file it is printed under, everything else counts from the root, and a leading slash marks what could be misread:
a file in the root itself, or a folder whose real name begins with ``@``. A folder that many links lead to gets a name
such as ``@reference/``, explained once. Targets are counted in powers of two, so a link more reshuffles little.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Iterable, Mapping
from functools import lru_cache

from msgspec import Struct

from pinakes.records import CorpusName, Ref
from pinakes.tokens import count_tokens

# Besides what `Ref` encodes: what cannot be seen or turns text around. `Ref.parse` reads all of it back.
_ENCODED = re.compile(
    "[%#\x00-\x1f\x7f-\xa0\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff"
    "\U000e0000-\U000e0fff]"
)
_NAME = re.compile(r"@[^/\s]+(?=/)")
_FEWEST_TARGETS = 3
"""Fewer never pay for a line in the table."""
_WORTH_TOKENS = 8
"""What a name must save beyond its own line."""


def printed(path: str) -> str:
    """A path or anchor with unprintable characters percent-encoded, as `Ref.parse` reads them."""
    if path.isascii() and path.isprintable() and "%" not in path and "#" not in path:
        return path
    return _ENCODED.sub(lambda found: "".join(f"%{byte:02X}" for byte in os.fsencode(found[0])), path)


def folder_of(path: str) -> str:
    """The folder a file is in; empty for the root."""
    return path.rpartition("/")[0]


def upward(folder: str) -> Iterable[str]:
    """A folder and everything above it, the root last."""
    while folder:
        yield folder
        folder = folder_of(folder)
    yield ""


def files_below(paths: Iterable[str]) -> Counter[str]:
    """For every folder, how many of the files are in it, however deep."""
    below = Counter(map(folder_of, paths))
    for folder in list(below):
        while folder and (folder := folder_of(folder)) not in below:
            below[folder] = 0
    for folder in sorted(below, key=len, reverse=True):  # what is below before what is above it
        if folder:
            below[folder_of(folder)] += below[folder]
    return below


class Paths(Struct, frozen=True):
    """How paths are shortened in one map."""

    names: Mapping[str, str]
    """Of each folder that has one, its short name with ``@`` and without a slash, in the order of the folders."""
    prefixes: Mapping[str, str]
    """How every folder that holds documents prints, with a slash at its end."""

    def named_in(self, text: str) -> list[str]:
        """The lines of the table that a reader of `text` needs."""
        if not self.names or "@" not in text:
            return []
        used = set(_NAME.findall(text))
        return [line for line, name in zip(self.table(), self.names.values(), strict=True) if name in used]

    def table(self) -> list[str]:
        """A line for each short name."""
        return [f"{name}/ = {printed(folder)}/" for folder, name in self.names.items()]

    def folder(self, folder: str) -> str:
        """A folder from the root with a slash at its end; empty for the root."""
        known = folder
        while known not in self.prefixes:
            known = folder_of(known)
        return self.prefixes[known] + _spelled(folder[len(known) :]) if known else _spelled(folder)

    def target(self, to: Ref, folder: str, corpus: CorpusName) -> str:
        """What a reference printed under a file in `folder` points at."""
        anchor = f"#{printed(to.anchor)}" if to.anchor else ""
        if to.corpus != corpus:
            return f"{to.corpus}:{printed(to.path)}{anchor}"
        there, _, name = to.path.rpartition("/")
        if there == folder:
            return printed(name) + anchor
        return f"{self.folder(there) or '/'}{printed(name)}{anchor}"


NO_NAMES = Paths({}, {"": ""})
"""Every folder spelled out."""


class FolderCalls:
    """What folders can be called by: the last part, led by as many parts before it as one likes.

    Two folders can only share a call when what follows the last dot or slash is the same, so only those that end alike
    are compared, and only once somebody asks.
    """

    def __init__(self, folders: Iterable[str]) -> None:
        self._folders = frozenset(folders)
        self._alike: dict[str, list[str]] | None = None
        self._uses: dict[str, Counter[str]] = {}

    def unique(self, folder: str, besides: Collection[str]) -> str:
        """The shortest call of a folder that no other has, neither here nor `besides`; empty where there is none."""
        end = _end(folder)
        uses = self._uses_of(end)
        if others := [one for one in besides if one and one not in self._folders and _end(one) == end]:
            uses = uses + Counter(call for one in others for call in _suffixes(one))
        return next((call for call in _suffixes(folder) if uses[call] == 1), "")

    def _uses_of(self, end: str) -> Counter[str]:
        if self._alike is None:
            self._alike = {}
            for folder in self._folders:
                self._alike.setdefault(_end(folder), []).append(folder)
        if end not in self._uses:
            alike = self._alike.get(end, ())
            self._uses[end] = Counter(call for one in alike if one for call in _suffixes(one))
        return self._uses[end]


def _end(folder: str) -> str:
    return folder.rpartition("/")[2].rpartition(".")[2]


def short_names(folders: Mapping[str, int], among: FolderCalls | None = None) -> Paths:
    """Give names to folders where that saves tokens, outermost first; `folders` says how many printed targets lie in
    and below each. A name tells its folder from all others, those `among` which the documents are included."""
    if not folders:
        return NO_NAMES
    calls = among or FolderCalls(())
    prefixes = {"": ""}
    chosen: dict[str, str] = {}
    for folder in sorted(folders, key=lambda folder: (folder.count("/"), folder)):
        if not folder:
            continue
        above, _, last = folder.rpartition("/")
        prefix = _below(prefixes[above], last)
        may_pay = folders[folder] >= _FEWEST_TARGETS and "/" in folder and not re.search(r"\s", folder)
        if may_pay and (name := calls.unique(folder, folders)):
            targets = 1 << (folders[folder].bit_length() - 1)
            saved = targets * (count_tokens(prefix) - count_tokens(f"@{name}/"))
            if saved >= _WORTH_TOKENS + count_tokens(f"@{name}/ = {printed(folder)}/\n"):
                chosen[folder] = f"@{name}"
                prefix = f"@{name}/"
        prefixes[folder] = prefix
    return Paths(dict(sorted(chosen.items())), prefixes)


def folders_called(name: str, paths: Iterable[str]) -> list[str]:
    """The folders of these files that a map may call by a short name such as ``@reference``: one, or none, unless
    somebody made the name up."""
    return sorted(folder for folder in files_below(paths) if folder and name[1:] in _suffixes(folder))


@lru_cache(maxsize=8192)
def _spelled(rest: str) -> str:
    """A folder that is printed as it is, from the root or after a slash."""
    inside = "".join([f"{printed(part)}/" for part in rest.split("/") if part])
    return f"/{inside}" if rest.startswith("@") else inside


def _below(prefix: str, last: str) -> str:
    return f"/{printed(last)}/" if not prefix and last.startswith("@") else f"{prefix}{printed(last)}/"


def _suffixes(folder: str) -> Iterable[str]:
    parts = printed(folder).split("/")
    name = parts[-1]
    yield name
    for part in reversed(parts[:-1]):
        name = f"{part}.{name}"
        yield name
