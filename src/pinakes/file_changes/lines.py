"""Lines of texts, as edits and diffs compare them: only a line feed ends one, as for git."""

from __future__ import annotations

from collections.abc import Sequence
from typing import AnyStr


def lines_with_ends(text: str) -> list[str]:
    """The lines of a text, each with its end; the last one may have none."""
    *whole, last = text.split("\n")
    return [*(f"{line}\n" for line in whole), *([last] if last else [])]


def shared_ends(old: Sequence[AnyStr], new: Sequence[AnyStr]) -> tuple[int, int]:
    """How many lines at the beginning, and how many of the others at the end, are the same in both."""
    most = min(len(old), len(new))
    head = next((count for count in range(most) if old[count] != new[count]), most)
    tail = next((count for count in range(most - head) if old[-1 - count] != new[-1 - count]), most - head)
    return head, tail
