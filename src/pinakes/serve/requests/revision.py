"""The library that a request is about: as it is, or as it was at the revision that the request names."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from pinakes.access import TokenScope
from pinakes.index import ignore_progress
from pinakes.library import Library
from pinakes.ports import Progress
from pinakes.serve.requests.parameters import Request


def is_past(request: Request) -> bool:
    """Whether a request names a revision: then nothing on disk need be compared for it."""
    return bool(getattr(request, "at", ""))


@contextmanager
def asked_library(library: Library, request: Request, progress: Progress = ignore_progress) -> Iterator[Library]:
    """The library to ask. It blocks: the first question about a revision makes its index. Raises `Unfit` for a request
    that writes where nothing can be written."""
    if request.needs is not TokenScope.READ:
        library.refuse_change()
    if not is_past(request):
        yield library
        return
    with library.at(str(getattr(request, "at", "")), progress=progress) as past:
        yield past
