"""Adding documents for somebody who is not at the keyboard: a model, or a client of the server.

A URL, a path or a text enters, and what became of it leaves. Whoever has a terminal may add any file they can read; a
client may not, because it would read it back: a path must be one of the library's own files, neither hidden nor left
out by a rule.
"""

from __future__ import annotations

import os

from pinakes.added.identity import DEFAULT
from pinakes.added.text import MOST_BYTES, too_large
from pinakes.errors import NotFound, Refused, Unfit
from pinakes.library import Library
from pinakes.library.added import ReadFile
from pinakes.records import ADDED, DOCS
from pinakes.records.added import AddedDocument, Addition, Update
from pinakes.serve.requests.notes import AddDocument
from pinakes.sources.inside import open_without_links, read_at_most

_LONGEST_PATH = 4_096
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
        is_file = not looks_like_url(source)
        whole = os.path.normpath(os.path.join(library.root, source)) if is_file else source
        try:
            addition = library.added.add(
                whole, project=project, title=request.title, type_name=media, read=_own_files(library)
            )
        except (NotFound, Refused):
            if not is_file:
                raise
            raise Refused(f"“{source[:200]}” is not a file of this library.", _STEP) from None
    library.refresh(corpora=(ADDED,))
    return addition


def drop(library: Library, wanted: tuple[str, ...]) -> tuple[AddedDocument, ...]:
    """Remove added documents, and have the next search not find them."""
    dropped = library.added.drop(wanted)
    library.refresh(corpora=(ADDED,))
    return dropped


def apply_updates(library: Library, project: str) -> tuple[Update, ...]:
    """Look at all sources again and take in what changed."""
    found = library.added.updates(project, apply=True, read=_own_files(library))
    library.refresh(corpora=(ADDED,))
    return found


def check_sources(library: Library, project: str) -> tuple[Update, ...]:
    """Look at all sources again."""
    return library.added.updates(project, read=_own_files(library))


def _own_files(library: Library) -> ReadFile:
    """Reads files of the library; raises `Refused` for any other, whether it exists or not.

    The file is opened once, with no link on the way, then checked and read: what is put in its place meanwhile is not.
    """

    def read(path: str, name: str) -> bytes:
        refused = Refused(f"“{name[:200]}” is not a file of this library.", _STEP)
        root = str(library.root)
        inside = os.path.relpath(path, root).replace(os.sep, "/")
        if "\0" in path or len(path) > _LONGEST_PATH or any(part.startswith(".") for part in inside.split("/")):
            raise refused
        try:
            descriptor = open_without_links(root, inside)
        except FileNotFoundError:
            raise NotFound(f"There is no file {name}.", "Check its name.") from None
        except OSError:
            raise refused from None
        try:
            stamps = library.corpus(DOCS).source.scan([inside]).stamps
            if all(stamp.ref.path != inside for stamp in stamps):
                raise refused
            data = read_at_most(descriptor, MOST_BYTES)
        except OSError:
            raise refused from None
        finally:
            os.close(descriptor)
        if data is None:
            raise too_large(name)
        return data

    return read
