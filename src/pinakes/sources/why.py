"""Why a file is indexed or not, in one sentence that names the rule. It looks at names and sizes, and
at contents only where a name says too little."""

from __future__ import annotations

from collections.abc import Iterable

from pinakes.records import Ref, formats
from pinakes.sources.code import not_read_as_code
from pinakes.sources.folder_rules import FolderEntry, FolderRules, RuledFolder
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


def why_not(rules: FolderRules, paths: Iterable[str], *, is_folder: bool = False) -> tuple[str, str] | None:
    """The first of some paths, there or not, at which a file or folder would be left out or be no document by its
    place, with the reason; None when there is none."""
    entered: dict[str, RuledFolder | str] = {"": _entered(rules, rules.top())}
    for path in paths:
        if reason := _reason(rules, _place_of(rules, path, entered), path.rpartition("/")[2], is_folder=is_folder):
            return path, reason
    return None


def why_ignored(rules: FolderRules, path: str) -> str:
    """Why a file at a path, there or not, is ignored or hidden; empty when it is neither."""
    place, name = _place_of(rules, path, {"": _entered(rules, rules.top())}), path.rpartition("/")[2]
    if isinstance(place, str):
        return place
    return "it is hidden" if place.is_hidden or name.startswith(".") else rules.left_out(place, name)


def _place_of(rules: FolderRules, path: str, entered: dict[str, RuledFolder | str]) -> RuledFolder | str:
    """The folder that a path lies in, or why it is left out. `entered` are the folders looked at so far."""
    here = ""
    for folder in path.split("/")[:-1]:
        above, here = entered[here], f"{here}{folder}/"
        if here not in entered:
            below = above if isinstance(above, str) else rules.below(above, folder)
            entered[here] = below if isinstance(below, str) else _entered(rules, below)
    return entered[here]


def _entered(rules: FolderRules, place: RuledFolder) -> RuledFolder | str:
    try:
        return rules.entered(place, rules.entries(place), [])
    except OSError:
        return place  # it is not there yet, so it adds no rules


def _reason(rules: FolderRules, place: RuledFolder | str, name: str, *, is_folder: bool) -> str:
    if isinstance(place, str):
        return place
    if is_folder:
        below = rules.below(place, name)
        return below if isinstance(below, str) else "it is hidden" if below.is_hidden else ""
    if place.is_hidden or name.startswith("."):
        return "it is hidden"
    is_kept = rules.is_included(place, name) or not rules.media_by_name(name).is_document
    return rules.left_out(place, name) or ("" if is_kept else "no pattern of the include option matches it")


def _walk(rules: FolderRules, parts: list[str]) -> str | tuple[RuledFolder, FolderEntry]:
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


def _verdict(rules: FolderRules, place: RuledFolder, entry: FolderEntry, max_file_bytes: int) -> str:
    name = entry.name
    if entry.is_dir(follow_symlinks=False):
        below = rules.below(place, name)
        return f"is a folder that is left out, because {below}" if isinstance(below, str) else "is a folder"
    if reason := left_out(rules, place, entry):
        return f"is not indexed: {reason}"
    listed = "is not indexed, though links to it resolve:"
    if place.is_hidden or name.startswith("."):
        return f"{listed} it is hidden"
    is_included = rules.is_included(place, name)
    media = rules.media(place, name) if is_included else rules.media_by_name(name)
    if not media.is_document:
        return f"{listed} {_not_a_document(name)}"
    if not is_included:
        return f"{listed} no pattern of the include option matches it"
    if (size := entry.stat().st_size) > max_file_bytes:
        return f"is not indexed: it holds {size:,} bytes, and max_file_bytes is {max_file_bytes:,}"
    return f"is indexed as {media.name}"


def _not_a_document(name: str) -> str:
    if (possible := formats.possible_media_of(name)).telling:
        return f"nothing in it shows that it is a document ({possible.name})"
    advice = formats.how_to_convert(name)
    return not_read_as_code(name) or f"its name is not that of a document{'. ' + advice if advice else ''}"


def left_out(rules: FolderRules, place: RuledFolder, entry: FolderEntry) -> str:
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
