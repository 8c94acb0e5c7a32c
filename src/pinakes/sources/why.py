"""Why a file is indexed or not, in one sentence that names the rule. It looks at names and sizes, never at contents."""

from __future__ import annotations

import os

from pinakes.records import Ref, formats, media_of
from pinakes.sources.folder_rules import FolderRules, RuledFolder
from pinakes.sources.inside import resolve_inside


def why(rules: FolderRules, path: str, max_file_bytes: int) -> str:
    """Walks from the root to `path` as the scan does and says what becomes of it there."""
    shown = str(Ref("", path)).removeprefix(":")
    inner = path.removeprefix(rules.root.rstrip("/") + "/")
    parts = [part for part in inner.split("/") if part not in ("", ".")]
    if inner.startswith("/") or ".." in parts or "\0" in inner or not parts:
        return f"{shown} is not indexed: it does not name a file below {rules.root}."
    found = _walk(rules, parts)
    return f"{shown} {found if isinstance(found, str) else _verdict(rules, *found, max_file_bytes)}."


def _walk(rules: FolderRules, parts: list[str]) -> str | tuple[RuledFolder, os.DirEntry[str]]:
    """The folder a file lies in and its entry there, or the reason for not getting that far."""
    place = rules.top()
    for depth, name in enumerate(parts):
        so_far = "/".join(parts[:depth])
        try:
            entries = rules.entries(place)
        except OSError as error:
            return f"is not indexed: the folder {so_far or rules.root} cannot be listed: {error.strerror}"
        entered = rules.entered(place, entries, [])
        if isinstance(entered, str):
            return f"is not indexed: the folder {so_far} is left out, because {entered}"
        entry = next((entry for entry in entries if entry.name == name), None)
        if entry is None:
            return "is not indexed: it does not exist"
        if depth == len(parts) - 1:
            return entered, entry
        so_far = "/".join(parts[: depth + 1])
        if not entry.is_dir(follow_symlinks=False):
            reason = "a link, and links to folders are not entered" if entry.is_symlink() else "not a folder"
            return f"is not indexed: {so_far} is {reason}"
        below = rules.below(entered, name)
        if isinstance(below, str):
            return f"is not indexed: the folder {so_far} is left out, because {below}"
        place = below
    return "is not indexed: it names nothing"


def _verdict(rules: FolderRules, place: RuledFolder, entry: os.DirEntry[str], max_file_bytes: int) -> str:
    name = entry.name
    if entry.is_dir(follow_symlinks=False):
        below = rules.below(place, name)
        return f"is a folder that is left out, because {below}" if isinstance(below, str) else "is a folder"
    if reason := left_out(rules, place, entry):
        return f"is not indexed: {reason}"
    listed = "is not indexed, though links to it resolve:"
    if place.is_hidden or name.startswith("."):
        return f"{listed} it is hidden"
    media = media_of(name)
    if not media.is_document:
        advice = formats.how_to_convert(name)
        return f"{listed} its name is not that of a document{'. ' + advice if advice else ''}"
    if not rules.is_included(place, name):
        return f"{listed} no pattern of the include option matches it"
    if (size := entry.stat().st_size) > max_file_bytes:
        return f"is not indexed: it holds {size:,} bytes, and max_file_bytes is {max_file_bytes:,}"
    return f"is indexed as {media.name}"


def left_out(rules: FolderRules, place: RuledFolder, entry: os.DirEntry[str]) -> str:
    """Why a file or link is not listed at all; empty when it is."""
    if reason := rules.left_out(place, entry.name):
        return reason
    if entry.is_symlink():
        return _link(rules, place.path + entry.name)
    return "" if entry.is_file(follow_symlinks=False) else "it is a pipe, socket or device"


def _link(rules: FolderRules, path: str) -> str:
    """Why a link is not followed; empty when it is."""
    try:
        target = resolve_inside(rules.root, path)
    except FileNotFoundError:
        return "it is a link to something that does not exist"
    except OSError as error:
        return f"it {error.strerror}" if isinstance(error, PermissionError) else f"it is a link: {error.strerror}"
    found = _walk(rules, target.split("/"))
    if isinstance(found, str):
        return f"it is a link to {target}, which {found}"
    below, entry = found
    if entry.is_dir(follow_symlinks=False):
        return "it is a link to a folder, and those are not entered"
    if reason := rules.left_out(below, entry.name):
        return f"it is a link to {target}, which is left out, because {reason}"
    return "" if entry.is_file(follow_symlinks=False) else f"it is a link to {target}, which is not a regular file"
