"""How do files of the user change: all of them, or none?

Files below a folder enter with what they shall hold; they leave changed, or as they were, and as a diff before that.
Why they change, and what is kept about it for the day after, is the business of the rooms that ask for it.
"""

from pinakes.file_changes.diff import DiffSide, LineChange, file_diff, line_changes
from pinakes.file_changes.disk import Disk
from pinakes.file_changes.lines import lines_with_ends, shared_ends
from pinakes.file_changes.rewriting import FileRewrite, digest_if_there, digest_of, rewrite_all, undo_rewrites

__all__ = [
    "DiffSide",
    "Disk",
    "FileRewrite",
    "LineChange",
    "digest_if_there",
    "digest_of",
    "file_diff",
    "line_changes",
    "lines_with_ends",
    "rewrite_all",
    "shared_ends",
    "undo_rewrites",
]
