"""Work that a command leaves to a process of its own, so that somebody is answered first.

An opened library enters. `pinakes sync --wait` in another Python makes what is missing; it outlives the command, and is
one process a library: a lock says that it is there. What it is killed in the middle of, the next command goes on with.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress

from pinakes.errors import PinakesError, StoreBusy, StoreError
from pinakes.folder_lock import exclusive_lock
from pinakes.library import Library
from pinakes.other_python import FRUGAL, NEUTRAL, environment, python
from pinakes.own_folder import OwnFolder
from pinakes.records import DOCS

LARGE = 2000
"""Documents from which an index is built by a process of its own, and the first of them answer."""
_FIRST_S = 30.0
"""How long the first documents are waited for."""
_LOOK_S = 0.03
_DAY_S = 86_400.0


@contextmanager
def alone(library: Library) -> Iterator[None]:
    """Nobody else completes this library meanwhile: whoever does already is waited for."""
    with ExitStack() as stack:
        try:
            stack.enter_context(exclusive_lock(_folder(library), "keywords and vectors", _DAY_S))
        except StoreBusy:
            raise
        except StoreError:  # where there can be no lock, nothing can be written either: whoever writes tells so
            pass
        yield


def begin(library: Library) -> subprocess.Popen[bytes] | None:
    """Have what is missing made by another process; None where one is at it."""
    try:
        with exclusive_lock(_folder(library), "keywords and vectors", 0.0):
            pass
    except StoreError:
        return None
    config = library.config
    words = ("-m", "pinakes", "sync", "--wait", "--root", str(library.root), "--store", str(config.store))
    # Not as an argument: everybody on this machine can read those, and there is a password in it.
    database = {"PINAKES_STORE_URL": config.store_url, "PINAKES_STORE_LIBRARY": config.store_library}
    nowhere = subprocess.DEVNULL
    return subprocess.Popen(
        python(*words),
        stdin=nowhere,
        stdout=nowhere,
        stderr=nowhere,
        cwd=NEUTRAL,
        env=FRUGAL | environment() | database,
        start_new_session=True,
    )


def answers_from_a_part(library: Library) -> bool:
    """Whether a question is answered from what is indexed so far: of many documents that are not indexed yet. Another
    process builds the index then, and the first documents are there when this returns."""
    docs = library.corpus(DOCS)
    if not (_share(library) if docs.is_indexed else _is_large(library)):
        return False
    worker = begin(library)
    patience = time.monotonic() + _FIRST_S
    while time.monotonic() < patience:
        if docs.is_indexed and docs.generation and docs.store.counts(DOCS).documents:
            return True
        if worker is not None and worker.poll() is not None:
            return False  # it could not: whoever asks tries himself, and is told why
        time.sleep(_LOOK_S)
    return False


def is_left(library: Library) -> bool:
    """Whether a sync left keywords, or quick vectors of many documents, to others."""
    docs = library.corpus(DOCS)
    if not docs.is_indexed or docs.store.is_read_only:
        return False
    return docs.toolbox.meanings.is_far_behind(docs.store) or docs.store.counts(DOCS).pending_keywords > 0


def hurry(library: Library) -> None:
    """Answer by words where the quick vectors of many documents are missing, and have these made."""
    docs = library.corpus(DOCS)
    if docs.is_indexed and not docs.store.is_read_only and docs.toolbox.meanings.is_far_behind(docs.store):
        docs.toolbox.meanings.is_patient = False
        begin(library)


def _share(library: Library) -> str:
    with suppress(PinakesError):
        return library.corpus(DOCS).share()
    return ""


def _is_large(library: Library) -> bool:
    with suppress(PinakesError, OSError):
        stamps = library.corpus(DOCS).source.scan().stamps
        return sum(stamp.media.is_document for stamp in stamps) >= LARGE
    return False


def _folder(library: Library) -> OwnFolder:
    own = library.corpus(DOCS).own
    with suppress(OSError):  # whoever writes the index tells why
        own.make(unseen=True, parents=True)
    return own.folder("making")
