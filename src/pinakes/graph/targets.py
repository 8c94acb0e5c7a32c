"""A link's target, taken apart: which paths it could mean, before anyone looks whether they exist.

A link as written and its document's folder enter, a `Target` leaves. Nothing is looked up here: what a target is, and
the one key all names share that could change where it leads, follow from the text alone.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum, auto
from urllib.parse import unquote

from pinakes.records import LinkForm, Outcome, name_key

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_SCHEME_IN_NOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|//|mailto:")
"""Between double brackets ``Note: more`` is a title, so a colon alone is not enough."""
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_TEMPLATE = re.compile(r"\{\{|\{%|<%|\$\{")
"""Filled in by a site generator; where it leads is not written in the document."""
_BLOCK = re.compile(r"\^[A-Za-z0-9-]+\Z")


class Manner(Enum):
    """How a target is read."""

    ADDRESS = auto()
    """As a URL: percent-encoding, query, fragment."""
    NOTE = auto()
    """As between double brackets: a path, a file's name, an alias or a title."""
    FIELD = auto()
    """As a frontmatter value: a path, else what a wikilink could say."""
    MENTION = auto()
    """As a path in running text, letter by letter."""


MANNERS = {
    LinkForm.LINK: Manner.ADDRESS,
    LinkForm.IMAGE: Manner.ADDRESS,
    LinkForm.HTML: Manner.ADDRESS,
    LinkForm.WIKILINK: Manner.NOTE,
    LinkForm.EMBED: Manner.NOTE,
    LinkForm.FRONTMATTER: Manner.FIELD,
    LinkForm.PATH: Manner.MENTION,
}


@dataclass(frozen=True, slots=True)
class Target:
    """Where a link could lead."""

    key: str = ""
    """`name_key` of every name that could be meant; empty when `decided`."""
    decided: Outcome | None = None
    """What is clear without looking anything up. `FOUND` means: into the document the link stands in."""
    tries: tuple[str, ...] = ()
    """Paths from the root, the likeliest first."""
    tail: str = ""
    """The path as written, cleaned, for files anywhere whose path ends like that; empty when it climbs (``../x``)."""
    said: str = ""
    """The whole text as written, for aliases and titles."""
    is_folder: bool = False
    """Written like a folder: ``guide/``, ``.``, ``..``."""


HERE = Target(decided=Outcome.FOUND)


def split(manner: Manner, text: str) -> tuple[str, str | None]:
    """The target without its fragment, and the fragment; None when there is none."""
    text = text.strip()
    if manner is Manner.MENTION:
        return text, None
    path, hash_sign, fragment = text.partition("#")
    if manner is Manner.ADDRESS:
        return path, fragment if hash_sign else None
    if hash_sign:
        return path.rstrip(), fragment.rpartition("#")[2].strip()
    block = _BLOCK.search(path)
    return (path[: block.start()].rstrip(), block[0]) if block else (path, None)


def read_target(manner: Manner, text: str, folder: str) -> Target:
    """Take apart a target without its fragment, written in a document of `folder`."""
    decided = _without_looking(manner, text)
    if decided is not None:
        return Target(decided=decided)
    path = unquote(text.partition("?")[0], errors="surrogateescape") if manner is Manner.ADDRESS else text
    if not path:
        return HERE
    is_rooted = path.startswith("/")
    climbs, names = _clean(path)
    places = folder.split("/") if folder else []
    if climbs > (0 if is_rooted else len(places)):
        return Target(decided=Outcome.NO_FILE if manner is Manner.MENTION else Outcome.OUTSIDE)
    here = places[: len(places) - climbs]
    tail = "/".join(names)
    if not names:
        whole = "" if is_rooted else "/".join(here)
        return Target(key=name_key(whole), tries=(whole,), said=text, is_folder=True)
    if is_rooted:
        bases = _bases_of_a_site(places) if manner is Manner.ADDRESS else ("",)
    elif climbs or path.startswith("./"):
        bases = ("/".join(here),)
    elif manner is Manner.NOTE:
        bases = ("", folder)
    else:
        bases = (folder, "")
    return Target(
        key=name_key(names[-1]),
        tries=tuple(dict.fromkeys(f"{base}/{tail}" if base else tail for base in bases)),
        tail="" if climbs else tail,
        said=text,
        is_folder=path.endswith(("/", "/.", "/..")),
    )


def _without_looking(manner: Manner, text: str) -> Outcome | None:
    if manner is Manner.MENTION:
        return None if text else Outcome.NO_FILE
    if (_SCHEME_IN_NOTE if manner is Manner.NOTE else _SCHEME).match(text) or _TEMPLATE.search(text):
        return Outcome.EXTERNAL
    return Outcome.OUTSIDE if _DRIVE.match(text) else None


def _bases_of_a_site(places: list[str]) -> tuple[str, ...]:
    """What a leading ``/`` may stand for: the root, else a folder above the document that a site is made from."""
    return ("", *("/".join(places[:depth]) for depth in range(1, len(places) + 1)))


def _clean(path: str) -> tuple[int, list[str]]:
    """How many folders a path climbs first, and the names it then goes down."""
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
