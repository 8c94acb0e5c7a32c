"""Which files hang together, in words.

The number of its component for each path enters, lines leave: the largest component is counted, and holds what is not
named; then come the others, the larger ones first.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping, Sequence

from pinakes.render.text import safe
from pinakes.tokens import count_tokens


def components_text(found: Mapping[str, int], most_tokens: int = 0) -> str:
    """The components within about so many tokens, or all of them for 0."""
    groups: dict[int, list[str]] = {}
    for path in sorted(found):
        groups.setdefault(found[path], []).append(safe(path))
    largest, *others = (groups[number] for number in sorted(groups))
    lines = [f"components: {len(groups):,}, the largest of {len(largest):,} of {len(found):,} files"]
    left = (most_tokens or sys.maxsize) - count_tokens(lines[0])
    hidden = 0
    for intro, names in _rows(others):
        shown = 0
        while shown < len(names) and (left := left - count_tokens(names[shown]) - 1) >= 0:
            shown += 1
        hidden += len(names) - shown
        if shown:
            lines.append(intro + ", ".join(names[:shown]))
    return "\n".join([*lines, *([f"… {hidden:,} more files outside the largest"] if hidden else [])])


def _rows(groups: Sequence[Sequence[str]]) -> Iterator[tuple[str, Sequence[str]]]:
    yield from (("together: ", group) for group in groups if len(group) > 1)
    if alone := [group[0] for group in groups if len(group) == 1]:
        yield "alone: ", alone
