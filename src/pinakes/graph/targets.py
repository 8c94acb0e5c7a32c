"""Parses a link's target into the paths it could mean.

A target as written and the folder of its document enter, a `LinkTarget` leaves. Nothing is looked up here: the possible
paths, and the one key that all matching names share, follow from the text alone.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import NamedTuple
from urllib.parse import unquote

from pinakes.records import Link, LinkForm, Outcome, name_key
from pinakes.records.graph import MARKDOWN_ENDINGS

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|//")
_SCHEME_IN_NOTE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://|//|mailto:")
"""Between double brackets ``Note: more`` is a title, so a colon alone is not enough."""
_DRIVE = re.compile(r"[A-Za-z]:[\\/]")
_TEMPLATE = re.compile(r"\{\{|\{%|<%|\$\{")
"""Filled in by a site generator; where it leads is not written in the document."""
_NOT_IN_AN_ADDRESS = re.compile("[%#?()<> ]")
_BLOCK = re.compile(r"\^[A-Za-z0-9-]+\Z")
_REF = re.compile(r"""\{\{[<%]\s*(?:rel)?ref\s+(?:path=)?(?:"([^"]*)"|`([^`]*)`|([^\s"`<>%]+))[^{}]*[%>]\}\}""")
"""Hugo's shortcodes for the address of a page."""


class TargetSyntax(StrEnum):
    """How a target is read."""

    ADDRESS = "address"
    """As a URL: percent-encoding, query, fragment."""
    NOTE = "note"
    """As between double brackets: a path, a file's name, an alias or a title."""
    FIELD = "field"
    """As a frontmatter value: a path, else what a wikilink could say."""
    PAGE = "page"
    """As Hugo's shortcode ``ref``: a path from here, from the top of the site, or the end of the only one like it."""
    MENTION = "mention"
    """As a path in running text, letter by letter."""


_SYNTAX_OF = {
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
    page: str | None = None
    """Where it starts from as an address of the site, after climbing; None where that is no other place."""

    def possible_paths(self) -> list[str]:
        """The paths it could mean, from the root, the likeliest first."""
        if not self.tail:
            return [self.folder]
        if self.is_rooted:
            is_of_a_site = self.syntax in (TargetSyntax.ADDRESS, TargetSyntax.PAGE)
            bases = _bases_of_a_site(self.folder) if is_of_a_site else [""]
        elif self.is_relative or not self.folder:
            bases = [self.folder]
        elif self.syntax is TargetSyntax.PAGE:
            bases = [self.folder, *_bases_of_a_site(self.folder)]
        else:
            bases = ["", self.folder] if self.syntax is TargetSyntax.NOTE else [self.folder, ""]
        if self.page is not None:
            bases.insert(0, self.page)
        return [f"{base}/{self.tail}" if base else self.tail for base in bases]


def read_link(link: Link) -> tuple[TargetSyntax, str, str | None]:
    """How a link is written, its target without the fragment, and the fragment; None when there is none."""
    syntax = _SYNTAX_OF[link.form]
    if syntax is TargetSyntax.ADDRESS and link.target.startswith("{{") and (ref := _REF.match(link.target)):
        path, hash_sign, fragment = (ref[1] or ref[2] or ref[3] or "").partition("#")
        # Some write the fragment behind the shortcode.
        behind = link.target[ref.end() :].partition("#")
        return TargetSyntax.PAGE, path, fragment if hash_sign else behind[2] if behind[1] else None
    return syntax, *_split(syntax, link.target)


def _split(syntax: TargetSyntax, text: str) -> tuple[str, str | None]:
    """The target without its fragment, and the fragment; None when there is none."""
    text = text.strip()
    if syntax is TargetSyntax.MENTION:
        path, _, fragment = text.partition("#")
        return (path, fragment) if path and fragment else (text, None)
    path, hash_sign, fragment = text.partition("#")
    if syntax is TargetSyntax.ADDRESS:
        return path, fragment if hash_sign else None
    if hash_sign:
        return path.rstrip(), fragment.rpartition("#")[2].strip()
    block = _BLOCK.search(path)
    return (path[: block.start()].rstrip(), block[0]) if block else (path, None)


def read_target(syntax: TargetSyntax, text: str, folder: str, page: str = "") -> LinkTarget:
    """Take apart a target without its fragment, written in a document of `folder`.

    `page` is the folder that the document is published as, where that is another one: addresses of pages start there.
    """
    decided = _without_looking(syntax, text)
    if decided is not None:
        return LinkTarget(syntax, decided=decided)
    path = unquote(text.partition("?")[0], errors="surrogateescape") if syntax is TargetSyntax.ADDRESS else text
    if not path:
        return LinkTarget(syntax, decided=Outcome.FOUND)
    is_rooted = path[0] == "/"
    climbs, names = _clean(path)
    if syntax is not TargetSyntax.ADDRESS or path.casefold().endswith(MARKDOWN_ENDINGS):
        page = ""  # files are named by where they lie
    start = _climbed(page, climbs) if page and not is_rooted else None
    if climbs:
        climbed = None if is_rooted else _climbed(folder, climbs)
        if climbed is None and start is None:
            return LinkTarget(syntax, decided=Outcome.NO_FILE if syntax is TargetSyntax.MENTION else Outcome.OUTSIDE)
        folder = start or "" if climbed is None else climbed
    if not names:
        whole = "" if is_rooted else folder if start is None else start
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
        page=start,
    )


def relative_address(path: str, folder: str) -> str:
    """A path of the corpus as a document in `folder` writes it as an address."""
    return address_signs(posixpath.relpath(f"/{path}", f"/{folder}"))


def address_signs(path: str) -> str:
    """A path with the signs encoded that would end an address or mean something else in it."""
    return _NOT_IN_AN_ADDRESS.sub(lambda found: f"%{ord(found[0]):02X}", path)


def shared_names(one: Sequence[str], other: Sequence[str]) -> int:
    """How many leading names two paths share."""
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count


def _climbed(folder: str, climbs: int) -> str | None:
    """The folder so many above, or None where that is outside."""
    places = folder.split("/") if folder else []
    return "/".join(places[: len(places) - climbs]) if climbs <= len(places) else None


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
