"""Parses a link's target into the paths it could mean.

A target as written and the folder of its document enter, a `LinkTarget` leaves. Nothing is looked up here: the possible
paths, and the one key that all matching names share, follow from the text alone.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import NamedTuple
from urllib.parse import unquote

from pinakes.records import LinkForm, Outcome, name_key

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_SCHEME_IN_NOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|//|mailto:")
"""Between double brackets ``Note: more`` is a title, so a colon alone is not enough."""
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_TEMPLATE = re.compile(r"\{\{|\{%|<%|\$\{")
"""Filled in by a site generator; where it leads is not written in the document."""
_BLOCK = re.compile(r"\^[A-Za-z0-9-]+\Z")


class TargetSyntax(StrEnum):
    """How a target is read."""

    ADDRESS = "address"
    """As a URL: percent-encoding, query, fragment."""
    NOTE = "note"
    """As between double brackets: a path, a file's name, an alias or a title."""
    FIELD = "field"
    """As a frontmatter value: a path, else what a wikilink could say."""
    MENTION = "mention"
    """As a path in running text, letter by letter."""


SYNTAX_OF = {
    LinkForm.LINK: TargetSyntax.ADDRESS,
    LinkForm.IMAGE: TargetSyntax.ADDRESS,
    LinkForm.HTML: TargetSyntax.ADDRESS,
    LinkForm.WIKILINK: TargetSyntax.NOTE,
    LinkForm.EMBED: TargetSyntax.NOTE,
    LinkForm.FRONTMATTER: TargetSyntax.FIELD,
    LinkForm.PATH: TargetSyntax.MENTION,
}


class LinkTarget(NamedTuple):
    """Where a link could lead. A named tuple, because every link of a corpus makes one, twice."""

    syntax: TargetSyntax
    key: str = ""
    """`name_key` of every name that could be meant; empty when `decided`."""
    decided: Outcome | None = None
    """What is clear without looking anything up. `FOUND` means: into the document the link stands in."""
    folder: str = ""
    """Where it starts from, after climbing."""
    tail: str = ""
    """Where it goes from there; empty for a folder written as ``.`` or ``..``."""
    text: str = ""
    """The whole text as written, for aliases and titles."""
    is_folder: bool = False
    """Written like a folder: ``guide/``, ``.``, ``..``."""
    is_rooted: bool = False
    """Written with a leading ``/``."""
    is_relative: bool = False
    """Written with a leading ``./`` or ``../``, so that it means one place only."""

    def possible_paths(self) -> list[str]:
        """The paths it could mean, from the root, the likeliest first."""
        if not self.tail:
            return [self.folder]
        if self.is_rooted:
            bases = _bases_of_a_site(self.folder) if self.syntax is TargetSyntax.ADDRESS else [""]
        elif self.is_relative or not self.folder:
            bases = [self.folder]
        else:
            bases = ["", self.folder] if self.syntax is TargetSyntax.NOTE else [self.folder, ""]
        return [f"{base}/{self.tail}" if base else self.tail for base in bases]


def split(syntax: TargetSyntax, text: str) -> tuple[str, str | None]:
    """The target without its fragment, and the fragment; None when there is none."""
    text = text.strip()
    if syntax is TargetSyntax.MENTION:
        return text, None
    path, hash_sign, fragment = text.partition("#")
    if syntax is TargetSyntax.ADDRESS:
        return path, fragment if hash_sign else None
    if hash_sign:
        return path.rstrip(), fragment.rpartition("#")[2].strip()
    block = _BLOCK.search(path)
    return (path[: block.start()].rstrip(), block[0]) if block else (path, None)


def read_target(syntax: TargetSyntax, text: str, folder: str) -> LinkTarget:
    """Take apart a target without its fragment, written in a document of `folder`."""
    decided = _without_looking(syntax, text)
    if decided is not None:
        return LinkTarget(syntax, decided=decided)
    path = unquote(text.partition("?")[0], errors="surrogateescape") if syntax is TargetSyntax.ADDRESS else text
    if not path:
        return LinkTarget(syntax, decided=Outcome.FOUND)
    is_rooted = path[0] == "/"
    climbs, names = _clean(path)
    if climbs:
        places = folder.split("/") if folder else []
        if is_rooted or climbs > len(places):
            return LinkTarget(syntax, decided=Outcome.NO_FILE if syntax is TargetSyntax.MENTION else Outcome.OUTSIDE)
        folder = "/".join(places[: len(places) - climbs])
    if not names:
        whole = "" if is_rooted else folder
        return LinkTarget(syntax, key=name_key(whole), folder=whole, text=text, is_folder=True)
    return LinkTarget(
        syntax,
        key=name_key(names[-1]),
        folder=folder,
        tail="/".join(names),
        text=text,
        is_folder=path.endswith(("/", "/.", "/..")),
        is_rooted=is_rooted,
        is_relative=climbs > 0 or path.startswith("./"),
    )


def _without_looking(syntax: TargetSyntax, text: str) -> Outcome | None:
    if syntax is TargetSyntax.MENTION:
        return None if text else Outcome.NO_FILE
    if (_SCHEME_IN_NOTE if syntax is TargetSyntax.NOTE else _SCHEME).match(text):
        return Outcome.EXTERNAL
    if ("{" in text or "<" in text) and _TEMPLATE.search(text):
        return Outcome.EXTERNAL
    return Outcome.OUTSIDE if _DRIVE.match(text) else None


def _bases_of_a_site(folder: str) -> list[str]:
    """What a leading ``/`` may stand for: the root, else a folder above the document that a site is made from."""
    ends = [at for at, letter in enumerate(folder) if letter == "/"]
    return ["", *[folder[:end] for end in ends], folder] if folder else [""]


def _clean(path: str) -> tuple[int, list[str]]:
    """How many folders a path climbs first, and the names it then goes down."""
    if path[0] != "." and "/." not in path and "//" not in path:
        return 0, path.strip("/").split("/") if path != "/" else []
    climbs = 0
    names: list[str] = []
    for name in path.split("/"):
        if name == "..":
            if names:
                names.pop()
            else:
                climbs += 1
        elif name not in ("", "."):
            names.append(name)
    return climbs, names
