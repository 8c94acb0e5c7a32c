"""A filter that lets everything through but one document.

Filters name what may be looked at, never what may not; so the document's neighbours are named, at every folder on the
way down to it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

MOST_PATTERNS = 300
"""A filter of more patterns than this takes longer to work out than the question it is for."""

_SPECIAL = re.compile(r"[*?\[\]]")


def everything_but(path: str, paths: Iterable[str]) -> tuple[str, ...]:
    """Folders and files that together hold all `paths` but `path`; empty when that cannot be said, or not shortly.

    >>> everything_but("a/b/c.md", ["a/b/c.md", "a/b/d.md", "a/e.md", "f/g/h.md"])
    ('a/b/d.md', 'a/e.md', 'f/')
    """
    steps = path.split("/")
    found = set()
    for other in paths:
        if other == path:
            continue
        parts = other.split("/")
        shared = next(
            (place for place, (one, two) in enumerate(zip(steps, parts, strict=False)) if one != two), len(steps) - 1
        )
        is_folder = len(parts) > shared + 1
        found.add("/".join(parts[: shared + 1]) + ("/" if is_folder else ""))
        if len(found) > MOST_PATTERNS:
            return ()
    return () if any(_SPECIAL.search(one) for one in found) else tuple(sorted(found))
