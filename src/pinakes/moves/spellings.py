"""How a link may be written anew, in the manner in which it was written before.

A link, where it led and where it shall lead enter; targets leave, the most alike first: relative stays relative, rooted
stays rooted, a short name stays short, a missing ending stays missing, percent-encoding stays percent-encoding. Whether
a target really leads there is for the caller to look up: a short name may have become ambiguous.
"""

from __future__ import annotations

import os
import posixpath
import re
from collections.abc import Iterator
from urllib.parse import quote, unquote

from msgspec import Struct

from pinakes.graph.anchors import fold
from pinakes.graph.names import is_index, one_line
from pinakes.graph.targets import TargetSyntax, read_link
from pinakes.records import Link, Ref
from pinakes.records.graph import MARKDOWN_ENDINGS

_PAGE_ENDINGS = (".html", ".htm")
_HIGH_BYTE = re.compile(r"%[89A-Fa-f][0-9A-Fa-f]")
_KEPT = "!$'*+,;=:@~"
"""Signs of a path that a URL may hold as they are."""
_PREFIX_ON_GITHUB = "user-content-"
_TEXT_DIRECTIVE = ":~:"
_ABOVE = "/" + "_/" * 50
"""Stands for the folders above the root, whose names nobody here knows."""
_NO_HEADING = re.compile(r"[#|\[\]^]")


class Relink(Struct, frozen=True):
    """A link that shall lead to the same place under another name."""

    link: Link
    """As written."""
    old_origin: str
    """The path of its document, before and after."""
    new_origin: str
    old_to: Ref
    new_to: Ref
    old_title: str = ""
    """What the document it leads to is called, before and after."""
    new_title: str = ""
    new_heading: str = ""
    """The words of the heading it leads to, afterwards."""
    new_id: str = ""
    """What the site that both are pages of calls that section afterwards."""
    start: str | None = None
    """The folder that a relative path is written from; None for a link that was found from somewhere else."""
    addresses: tuple[str, ...] = ()
    """What the site will call what it leads to, for a link that says so."""
    is_literal: bool = False
    """Whether a path is written letter by letter, and not as an address."""
    takes_spaces: bool = False
    """Whether its destination may hold spaces as they are."""


def spellings(asked: Relink) -> Iterator[str]:
    """The targets to try, the most alike first; each once."""
    syntax, text, fragment = read_link(asked.link)
    if syntax is TargetSyntax.PAGE:
        yield from _shortcodes(asked, text, fragment)
        return
    path, mark, query = text.partition("?") if syntax is TargetSyntax.ADDRESS else (text, "", "")
    paths = [path, *(_encoded(one, asked, path) for one in _paths(asked, syntax, path))] if text else [""]
    for new_path in dict.fromkeys(paths):
        for new_fragment in _fragments(asked, syntax, fragment):
            yield f"{new_path}{mark}{query}{new_fragment}"


def _shortcodes(asked: Relink, text: str, fragment: str | None) -> Iterator[str]:
    """Hugo's references with another path and anchor in them; everything else in them stays."""
    for path in dict.fromkeys((text, *_paths(asked, TargetSyntax.PAGE, text))):
        target = asked.link.target.replace(text, path, 1) if text else asked.link.target
        if fragment and asked.old_to.anchor != asked.new_to.anchor:
            target = target.replace(f"#{fragment}", f"#{asked.new_id or asked.new_to.anchor}", 1)
        yield target


def outside(asked: Relink) -> str:
    """A relative target that leads out of the root, as it is written from another folder."""
    path, rest = _cut(asked.link.target)
    base = _ABOVE + posixpath.dirname(asked.new_origin)
    relative = posixpath.relpath(place_outside(asked.link, asked.old_origin), base)
    return _encoded(relative, asked, path) + ("/" if path.endswith("/") else "") + rest


def place_outside(link: Link, origin: str) -> str:
    """Where a target that leads out of the root leads to, seen from far above; one that is not relative, as written."""
    path = _cut(link.target)[0]
    if read_link(link)[0] is not TargetSyntax.ADDRESS or path.startswith("/") or ":" in path:
        return link.target
    return posixpath.normpath(f"{_ABOVE}{posixpath.dirname(origin)}/{unquote(path)}")


def has_same_letters(link: Link, path: str) -> bool:
    """Whether a link that spells the end of a path spells it with the same capital and small letters."""
    return next((written == end for written, end in _matching_ends(link, path)), True)


def names_file(link: Link, path: str) -> bool:
    """Whether a link spells the end of a path; else it finds it by a title, an alias or a rule of a site."""
    return any(True for _ in _matching_ends(link, path))


def _matching_ends(link: Link, path: str) -> Iterator[tuple[list[str], list[str]]]:
    """The names that a link is written with, and those at the end of a path that they spell in any letters."""
    syntax, text, _ = read_link(link)
    if syntax is TargetSyntax.ADDRESS:
        text = unquote(text.partition("?")[0], errors="surrogateescape")
    written = [name for name in text.split("/") if name not in ("", ".", "..")]
    for whole in (path, posixpath.splitext(path)[0], posixpath.dirname(path)):
        end = whole.split("/")[-len(written) :]
        if written and fold("/".join(written)) == fold("/".join(end)):
            yield written, end


def _cut(target: str) -> tuple[str, str]:
    """The path of a target, and its query and fragment."""
    end = min((at for at in (target.find("?"), target.find("#")) if at >= 0), default=len(target))
    return target[:end], target[end:]


def _fragments(asked: Relink, syntax: TargetSyntax, fragment: str | None) -> list[str]:
    """What may stand behind the path, with its sign."""
    if fragment is None:
        return [""]
    written = asked.link.target.strip()
    kept = written[written.index("#") :] if "#" in written else f"^{fragment.removeprefix('^')}"
    if asked.old_to.anchor == asked.new_to.anchor:
        return [kept]
    place, directive, words = fragment.partition(_TEXT_DIRECTIVE)
    anchor = asked.new_to.anchor
    if syntax is TargetSyntax.ADDRESS:
        anchor = asked.new_id or anchor
        prefix = _PREFIX_ON_GITHUB if place.startswith(_PREFIX_ON_GITHUB) else ""
        spelled = quote(anchor, safe=_KEPT) if _HIGH_BYTE.search(place) or not anchor.isprintable() else anchor
        return [kept, f"#{prefix}{spelled}{directive}{words}"]
    if syntax is TargetSyntax.MENTION:
        return [kept, f"#{anchor}"]
    heading = asked.new_heading if not _NO_HEADING.search(asked.new_heading) else anchor
    both = [f"#{heading}", f"#{anchor}"]
    return [kept, *(both[::-1] if place == asked.old_to.anchor else both)]


def _paths(asked: Relink, syntax: TargetSyntax, written: str) -> Iterator[str]:
    """Paths without encoding, the most alike first."""
    plain = unquote(written, errors="surrogateescape") if syntax is TargetSyntax.ADDRESS else written
    folder = posixpath.dirname(asked.new_origin) if asked.start is None else asked.start
    if syntax is TargetSyntax.NOTE or (syntax is TargetSyntax.FIELD and not posixpath.splitext(plain)[1]):
        yield from _short(asked, plain)
    slash = "/" if plain.endswith("/") else ""
    for full in (*(f"{address}{slash}" for address in asked.addresses), *_endings(asked, plain)):
        relative = _relative(full, folder)
        if plain.startswith("/"):
            yield from _rooted(asked, plain, full)
        elif plain.startswith("./"):
            yield relative if relative.startswith("../") else f"./{relative}"
        elif plain.startswith("..") or asked.start is not None or _is_from_folder(asked, plain):
            # Not every name without a slash is taken for a path in running text.
            is_bare = syntax is TargetSyntax.MENTION and "/" in plain and "/" not in relative
            yield f"./{relative}" if is_bare else relative
        else:
            yield full
    full = asked.new_to.path
    relative = _relative(full, folder)
    yield from (relative, relative if relative.startswith("../") else f"./{relative}", full, f"/{full}")


def _endings(asked: Relink, written: str) -> Iterator[str]:
    """The new path from the root, ending like the old one was written."""
    old, new = asked.old_to.path, asked.new_to.path
    if _means_folder(asked, written):
        slash = "/" if written.endswith(("/", ".")) else ""
        if slash and not is_index(old) and new.casefold().endswith(MARKDOWN_ENDINGS):
            yield f"{posixpath.splitext(new)[0]}/"  # a page that is published as a folder
        if new == asked.old_to.path or not is_index(asked.old_to.path):
            yield f"{new}{slash}"
        if is_index(new):
            yield f"{posixpath.dirname(new) or '.'}{slash}"
    else:
        ending = posixpath.splitext(old)[1]
        stem = new.removesuffix(posixpath.splitext(new)[1])
        lowered = written.casefold()
        if ending.casefold() in MARKDOWN_ENDINGS and not lowered.endswith(ending.casefold()):
            page = next((page for page in _PAGE_ENDINGS if lowered.endswith(page)), "")
            yield stem + page
    yield new


def _means_folder(asked: Relink, written: str) -> bool:
    """Whether the link names a folder, and maybe means the index in it."""
    last = posixpath.basename(written.rstrip("/"))
    if written.endswith("/") or last in ("", ".", ".."):
        return True
    old = asked.old_to.path
    stem = posixpath.splitext(posixpath.basename(old))[0]
    return is_index(old) and fold(last) not in (fold(stem), fold(posixpath.basename(old)), fold(f"{stem}.html"))


def _is_from_folder(asked: Relink, written: str) -> bool:
    """Whether the path was found below the folder of its document, and not from the root."""
    folder = posixpath.dirname(asked.old_origin)
    reached = fold(posixpath.normpath(posixpath.join(folder, written)))
    old = fold(asked.old_to.path)
    stem = posixpath.splitext(old)[0]
    return stem in (reached, posixpath.splitext(reached)[0]) or reached in (old, posixpath.dirname(old))


def _rooted(asked: Relink, written: str, full: str) -> Iterator[str]:
    """Behind a slash: what a site has in front of its pages, or leaves away of their folders, stays so."""
    names = [fold(name) for name in written.strip("/").split("/")]
    old, new = asked.old_to.path.split("/"), full.split("/")
    shared = 0
    while shared < min(len(names), len(old)) and _alike(names[-1 - shared], fold(old[-1 - shared]), is_last=not shared):
        shared += 1
    prefix, lead = written.strip("/").split("/")[: len(names) - shared], old[: len(old) - shared]
    if shared and new[: len(lead)] == lead:
        yield "/" + "/".join([*prefix, *new[len(lead) :]])
    yield f"/{full}"


def _alike(name: str, other: str, *, is_last: bool) -> bool:
    return name == other or (is_last and name.rsplit(".", 1)[0] == other.rsplit(".", 1)[0])


def _short(asked: Relink, written: str) -> Iterator[str]:
    """By a title, or by the end of the path: as many names as before, then more of them until one document is meant."""
    if fold(one_line(written)) == fold(one_line(asked.old_title)):
        yield asked.new_title
    if written.startswith((".", "/")):
        return
    for full in _endings(asked, written):
        names = full.strip("/").split("/")
        held = written.strip("/").count("/") + 1
        is_whole = held == len(asked.old_to.path.split("/"))
        for count in [len(names)] if is_whole and held > 1 else range(min(held, len(names)), len(names) + 1):
            yield "/".join(names[-count:])


def _relative(path: str, folder: str) -> str:
    found = posixpath.relpath(f"/{path}", f"/{folder}")
    return found + "/" if path.endswith("/") and not found.endswith("/") else found


def _encoded(path: str, asked: Relink, written: str) -> str:
    """A path as the link writes paths."""
    if asked.is_literal or read_link(asked.link)[0] is not TargetSyntax.ADDRESS:
        return path
    kept = (
        _KEPT
        + "/"
        + ("" if "%26" in written else "&")
        + (" " if asked.takes_spaces else "")
        + ("()" if "(" in written else "")
    )
    spelled = quote(os.fsencode(path), safe=kept)
    if _HIGH_BYTE.search(written):
        return spelled
    return re.sub(r"(?:%[89A-F][0-9A-F])+", _letters, spelled)


def _letters(found: re.Match[str]) -> str:
    """Letters that are not ASCII as they are; bytes that are no letters stay encoded."""
    letters = unquote(found[0], errors="surrogateescape")
    return letters if letters.isprintable() and "\ufffd" not in letters else found[0]
