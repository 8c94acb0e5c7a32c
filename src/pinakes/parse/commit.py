"""A commit becomes a document: its message and what it changed, then the difference as a section of code.

The bytes that `records.history.pack` makes enter, a `Document` leaves. Any other bytes are a text without author or
date. Times and hashes stand in the metadata only: nobody asks for them by their words.
"""

from __future__ import annotations

import json
import re

from pinakes.records import CodeBlock, Document, Kind, Metadata, Raw, Section, Shape, Span
from pinakes.records.history import Commit, unpack

_FILES_SHOWN = 100
_LONGEST_TITLE = 200
_FENCE = re.compile(rb"`{3,}")
_CODE = (Shape.CODE,)
_CHANGES = {
    "A": "added",
    "D": "deleted",
    "<": "renamed away",
    "R": "renamed to",
    "C": "copied to",
    "T": "type changed",
    "M": "changed",
}
_dumps = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def parse_commit(raw: Raw) -> Document:
    """Read a commit."""
    commit = unpack(raw.data)
    if commit is None:
        return _strange(raw)
    message = _text(commit.message).strip("\n")
    author, committer = _line(commit.author), _line(commit.committer)
    files = [(status.decode("ascii", "replace"), _text(path)) for status, path in commit.files]
    told = _told(commit, message, author, committer, files)
    sections, code, source = _laid_out(told, commit.diff, _left_out(commit))
    short = commit.hash.decode("ascii", "replace")[:12]
    return Document(
        stamp=raw.stamp,
        digest=raw.digest,
        title=_line(message.partition("\n")[0].encode("utf-8"))[:_LONGEST_TITLE] or short,
        kind=Kind.UNKNOWN,
        source=source,
        sections=sections,
        code=code,
        metadata=Metadata(
            author=f"{author} <{_line(commit.author_mail)}>",
            created=_line(commit.authored),
            modified=_line(commit.committed),
            extra=_extra(commit, committer, files),
        ),
        warnings=("It says more than is kept of it.",) if commit.is_cut else (),
    )


def _told(commit: Commit, message: str, author: str, committer: str, files: list[tuple[str, str]]) -> str:
    """The message, who made it and when, and what it changed."""
    lines = [message, ""] if message else []
    lines.append(f"Author: {author} <{_line(commit.author_mail)}>, {_day(commit.authored)}")
    if (committer, commit.committed[:10]) != (author, commit.authored[:10]):
        lines.append(f"Committer: {committer} <{_line(commit.committer_mail)}>, {_day(commit.committed)}")
    if commit.repository != b".":
        lines.append(f"Repository: {_line(commit.repository)}")
    if files:
        lines += ["", "Files:"]
        lines += [
            f"- {_line(path.encode('utf-8'))} ({_CHANGES.get(status, 'changed')})"
            for status, path in files[:_FILES_SHOWN]
        ]
        more = len(files) - _FILES_SHOWN + commit.files_left_out
        if more > 0:
            lines.append(f"- and {more} more")
    return "\n".join(lines) + "\n"


def _left_out(commit: Commit) -> str:
    if not commit.has_diff:
        return "The difference could not be told: parts of the repository are not here.\n"
    if commit.left_out or commit.is_cut:
        return f"{commit.left_out}{' or more' if commit.is_cut else ''} more lines are left out.\n"
    return ""


def _laid_out(told: str, diff: bytes, left_out: str) -> tuple[tuple[Section, ...], tuple[CodeBlock, ...], bytes]:
    first = told.encode("utf-8")
    size, rows = len(first), first.count(b"\n")
    if not diff and not left_out:
        return (Section("", "", 0, -1, Span(0, size), Span(0, rows)),), (), first
    block = b""
    if diff:
        fence = b"```"
        if b"```" in diff:
            fence = b"`" * (1 + max(map(len, _FENCE.findall(diff))))
        shown = _clean(diff)
        block = b"%sdiff\n%s%s%s\n" % (fence, shown, b"" if shown.endswith(b"\n") else b"\n", fence)
    head = b"\n## Diff\n\n"
    tail = b"\n" + left_out.encode() if left_out and block else left_out.encode()
    source = first + head + block + tail
    end, begin = len(source), size + 1
    last = rows + head.count(b"\n") + block.count(b"\n") + tail.count(b"\n")
    sections = (
        Section("", "", 0, -1, Span(0, end), Span(0, last)),
        Section("diff", "Diff", 2, 0, Span(begin, end), Span(rows + 1, last), shapes=_CODE if block else ()),
    )
    start = size + len(head)
    code = (CodeBlock(1, "diff", Span(start, start + len(block))),) if block else ()
    return sections, code, source


def _extra(commit: Commit, committer: str, files: list[tuple[str, str]]) -> str:
    known: dict[str, object] = {
        "repository": _text(commit.repository),
        "parents": _text(commit.parents).split(),
        "committer": f"{committer} <{_line(commit.committer_mail)}>",
        "files": list(dict.fromkeys(path for _, path in files)),
    }
    if commit.left_out:
        known["diff_lines_left_out"] = commit.left_out
    if commit.files_left_out:
        known["files_left_out"] = commit.files_left_out
    return _dumps(known)


def _strange(raw: Raw) -> Document:
    source = _clean(raw.data)
    rows = source.count(b"\n") + (not source.endswith(b"\n") and bool(source))
    root = Section("", "", 0, -1, Span(0, len(source)), Span(0, rows))
    return Document(raw.stamp, raw.digest, raw.stamp.ref.path, Kind.UNKNOWN, source, (root,))


def _clean(data: bytes) -> bytes:
    """As UTF-8 with plain line ends; what is none is replaced."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        data = data.decode("utf-8", "replace").encode("utf-8")
    return data


def _text(data: bytes) -> str:
    return data.decode("utf-8", "replace")


def _line(data: bytes) -> str:
    return " ".join(data.decode("utf-8", "replace").split())


def _day(date: bytes) -> str:
    return _line(date)[:10] or "no date"
