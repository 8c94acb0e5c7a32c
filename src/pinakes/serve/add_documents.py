"""Adding documents for somebody who is not at the keyboard: a model, or a client of the server.

A URL, a path or a text enters, and what became of it leaves. Whoever has a terminal may add any file they can read; a
client may not, because it would read it back: a path must be one of the library's own files, neither hidden nor left
out by a rule.
"""

from __future__ import annotations

import os
from pathlib import Path

from pinakes.added.identity import DEFAULT
from pinakes.errors import Refused, Unfit
from pinakes.library import Library
from pinakes.records import ADDED, DOCS
from pinakes.records.added import AddedDocument, Addition, Update
from pinakes.serve.requests.notes import AddDocument

_STEP = "In a terminal, pinakes add PATH adds any file."


def add(library: Library, request: AddDocument) -> Addition:
    """Keep a document, and have the next search find it; raises `Refused` for a file that is none of the library's."""
    from pinakes.added.urls import looks_like_url

    source, text, media = request.source, request.text, request.type.value if request.type else ""
    if bool(source.strip()) == bool(text.strip()):
        raise Unfit("There must be a source or a text, and not both.", "Send one of them.")
    project = request.project or DEFAULT
    if text:
        addition = library.added.add_text(text.encode(), project=project, title=request.title, type_name=media)
    else:
        given = source if looks_like_url(source) else _own_file(library, source)
        addition = library.added.add(given, project=project, title=request.title, type_name=media)
    library.refresh(corpora=(ADDED,))
    return addition


def drop(library: Library, wanted: tuple[str, ...]) -> tuple[AddedDocument, ...]:
    """Remove added documents, and have the next search not find them."""
    dropped = library.added.drop(wanted)
    library.refresh(corpora=(ADDED,))
    return dropped


def apply_updates(library: Library, project: str) -> tuple[Update, ...]:
    """Look at all sources again and take in what changed."""
    found = library.added.updates(project, apply=True)
    library.refresh(corpora=(ADDED,))
    return found


def _own_file(library: Library, path: str) -> str:
    """The whole path of a file of the library; raises `Refused` for any other, whether it exists or not."""
    refused = Refused(f"“{path[:200]}” is not a file of this library.", _STEP)
    if "\0" in path or len(path) > 4_096:
        raise refused
    root = library.root
    whole = os.path.normpath(os.path.join(root, path))
    # A link may lead out of the root, and so may a folder on the way.
    if os.path.realpath(whole) != whole or not Path(whole).is_relative_to(root):
        raise refused
    inside = Path(whole).relative_to(root).as_posix()
    if any(part.startswith(".") for part in inside.split("/")):
        raise refused
    listed = library.corpus(DOCS).source.scan([inside]).stamps
    if all(stamp.ref.path != inside for stamp in listed):
        raise refused
    return whole
