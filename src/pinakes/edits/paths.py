"""Paths that no edit may have, whatever is on the disk.

A path as a model wrote it enters; the reason to refuse it leaves, or nothing. The rules are those of all systems at
once: a repository is checked out on others, where a name may mean a device, a stream of another file or git's folder.
"""

from __future__ import annotations

import re
import unicodedata

_LONGEST_NAME, _LONGEST_PATH, _DEEPEST = 240, 1000, 40
_ODD = {
    "Cc": "a control sign",
    "Cf": "a sign that nobody sees",
    "Cs": "half a sign",
    "Co": "a sign without a meaning",
    "Cn": "a sign without a meaning",
    "Zl": "a line end",
    "Zp": "a line end",
}
"""Categories of Unicode that no path holds."""
_DEVICES = re.compile(r"(?i)(con|prn|aux|nul|conin\$|conout\$|clock\$|(com|lpt)[0-9¹²³])(\..*)?")
_SHORT = re.compile(r"(?i)(git|pinake|memori)[^.]*~[0-9].*")
"""What Windows calls `.git`, `.pinakes` and `.memories` where names are short."""
_NOT_FOR_NEW = re.compile(r'[*?"<>|]')


def path_fault(path: str) -> str:
    """Why nothing may be changed at a path, as the end of a sentence that begins with “it”; empty where it may."""
    if not path:
        return "is empty"
    if len(path) > _LONGEST_PATH or path.count("/") > _DEEPEST:
        return "is too long"
    for sign in path:
        category = unicodedata.category(sign)
        if category in _ODD:
            return f"holds {_ODD[category]}"
        if category == "Zs" and sign != " ":
            return "holds a space that is no plain one"
    if "\\" in path:
        return "holds a backslash"
    if ":" in path:
        return "holds a colon"
    if path.startswith(("/", "~")):
        return "does not begin at the root of the repository"
    return next((fault for name in path.split("/") if (fault := _name_fault(name))), "")


def new_path_fault(path: str) -> str:
    """Why no new file may have this path, besides what `path_fault` says: names that differ from system to system."""
    if found := _NOT_FOR_NEW.search(path):
        return f"holds {found[0]}, which not every system allows"
    if unicodedata.normalize("NFC", path) != path:
        return "is not in the normal form of Unicode (NFC)"
    return ""


def one_name(path: str) -> str:
    """A path without what some disks do not tell apart."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", path).casefold())


def _name_fault(name: str) -> str:
    if name in ("", ".", ".."):
        return "is not written out: it has an empty part, “.” or “..”"
    plain = unicodedata.normalize("NFKC", name)
    if name.startswith(".") or plain.startswith("."):
        return "is hidden"
    if {"/", "\\", ":"} & set(plain):
        return "holds a sign that stands for a slash, a backslash or a colon"
    if name != name.strip() or name.endswith("."):
        return "has a part that begins or ends with a space, or ends with a dot"
    if _DEVICES.fullmatch(plain) or _DEVICES.fullmatch(plain.split(".")[0].rstrip()):
        return "is the name of a device on some systems"
    if _SHORT.fullmatch(plain):
        return "is another name of a hidden folder on some systems"
    if len(name.encode("utf-8", "surrogatepass")) > _LONGEST_NAME:
        return "has a name that is too long"
    return ""
