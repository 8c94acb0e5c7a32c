"""Ids by which the sections of org files are known to all other files.

A document enters; its ids leave. Org makes them of random numbers or of the time, and editors keep a list of all files
to find one; here they are names of the document, as addresses on a site are.
"""

from __future__ import annotations

import re

from pinakes.records import Document

_ENDING = ".org"
_ID = re.compile(r"[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\Z|\d{8}T\d{6}(?:\.\d+)?\Z")
"""What org makes; other names are known to their own file alone."""


def ids_of(document: Document) -> tuple[str, ...]:
    """The ids of an org file and of its sections; none for other documents."""
    if not is_org(document.ref.path):
        return ()
    return tuple(name for section in document.sections for name in section.aliases if _ID.match(name))


def is_org(path: str) -> bool:
    """Whether a path is that of an org file."""
    return path.casefold().endswith(_ENDING)
