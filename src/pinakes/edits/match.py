"""Where a text stands in a file, and the file with another text in its place.

The text of a file and a block enter; the new text leaves, or how often the text to find stands there. Line ends are
compared as one: an answer has `\\n`, a file may have `\\r\\n`, and what is put gets the line ends of what it replaces.
Everything else of the file stays as it is, byte for byte.
"""

from __future__ import annotations

from bisect import bisect_left

from msgspec import Struct

from pinakes.file_changes import lines_with_ends, shared_ends

MOST_PLACES = 10
"""After which places are not counted any more."""


class TextPlaces(Struct, frozen=True):
    """The lines at which a text begins; `MOST_PLACES` of them stand for any number."""

    lines: tuple[int, ...]


def replace_once(text: str, find: str, put: str) -> str | TextPlaces:
    """The text with `put` in the place of `find`, which must stand there exactly once; else where it stands.

    A last line end in both texts belongs to the form of a block, and not to the texts: the line that follows may as
    well go on. A whole line that is replaced by nothing goes with its line end.
    """
    plain, find, put = (one.replace("\r\n", "\n") if "\r" in one else one for one in (text, find, put))
    is_form = find.endswith("\n") and (not put or put.endswith("\n"))
    wanted, new = (find[:-1], put[:-1]) if is_form else (find, put)
    found = _places(plain, wanted)
    if len(found) != 1:
        return TextPlaces(tuple(_line(plain, start) for start in found))
    start, end = found[0], found[0] + len(wanted)
    if is_form and not put:
        start, end = _with_line_end(plain, start, end)
    begin, stop = (start, end) if plain == text else _as_in_file(text, start, end)
    return text[:begin] + _with_ends_of(new, text[begin:stop], text) + text[stop:]


def with_line_ends_of(new: str, old: str) -> str:
    """A whole text with the line ends and the byte order mark of the text that it replaces. Lines at the beginning and
    at the end that are the same in both keep theirs one by one."""
    mark = "\ufeff" if old.startswith("\ufeff") else ""
    before = lines_with_ends(old.removeprefix(mark))
    after = lines_with_ends(new.removeprefix(mark).replace("\r\n", "\n"))
    plain = [line.replace("\r\n", "\n") for line in before]
    head, tail = shared_ends(plain, after)
    middle = "".join(before[head : len(before) - tail])
    changed = _with_ends_of("".join(after[head : len(after) - tail]), middle, old)
    return mark + "".join(before[:head]) + changed + "".join(before[len(before) - tail :])


def line_ends_of(text: str) -> str:
    """The line end that most lines of a text have."""
    pairs = text.count("\r\n")
    return "\r\n" if 2 * pairs > text.count("\n") else "\n"


def _places(plain: str, wanted: str) -> list[int]:
    """Where a text begins, also where it overlaps itself."""
    found: list[int] = []
    start = plain.find(wanted)
    while start >= 0 and len(found) < MOST_PLACES:
        found.append(start)
        start = plain.find(wanted, start + 1)
    return found


def _line(plain: str, start: int) -> int:
    return plain.count("\n", 0, start) + 1


def _with_line_end(plain: str, start: int, end: int) -> tuple[int, int]:
    """Whole lines with their last line end, or with the one before them where the file ends without one."""
    begins = start == 0 or plain[start - 1] == "\n" or plain[:start] == "\ufeff"
    if not begins:
        return start, end
    if plain[end : end + 1] == "\n":
        return start, end + 1
    if end == len(plain) and start > 0 and plain[start - 1] == "\n":
        return start - 1, end
    return start, end


def _as_in_file(text: str, start: int, end: int) -> tuple[int, int]:
    """Offsets in a text whose line ends were made one, as offsets in the text itself."""
    pairs: list[int] = []
    place = text.find("\r\n")
    while place >= 0:
        pairs.append(place - len(pairs))
        place = text.find("\r\n", place + 2)
    return start + bisect_left(pairs, start), end + bisect_left(pairs, end)


def _with_ends_of(new: str, old: str, text: str) -> str:
    """A text with the line ends, one after the other, of the text that it replaces; then with its last one, or that of
    most lines of the file."""
    lines = new.split("\n")
    ends = ["\r\n" if line.endswith("\r") else "\n" for line in old.split("\n")[:-1]]
    ends += [ends[-1] if ends else line_ends_of(text)] * (len(lines) - 1 - len(ends))
    return "".join(line + end for line, end in zip(lines, [*ends[: len(lines) - 1], ""], strict=True))
