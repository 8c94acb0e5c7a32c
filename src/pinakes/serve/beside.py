"""What is kept beside the documents, brought up to date before it is asked: commits, memories, added documents.

Doors keep the documents of their libraries fresh by themselves; the rest is looked at when a question names it, by a
corpus or by the front of an address.
"""

from __future__ import annotations

from collections.abc import Iterable

from pinakes.index import ignore_progress
from pinakes.library import Library
from pinakes.ports import Progress
from pinakes.records import DOCS, Corpus

EVERYTHING = "all"


def beside(library: Library, corpora: Iterable[str] = (), addresses: Iterable[str] = ()) -> tuple[Corpus, ...]:
    """The corpora other than the documents that are named, as far as there is anything of them."""
    named = tuple(corpora)
    if EVERYTHING in named:
        named = library.corpora
    fronts = (address.partition(":")[0] for address in addresses)
    known = (name for name in dict.fromkeys((*named, *fronts)) if name != DOCS and name in library.corpora)
    return tuple(name for name in known if _is_live(library, name))


def bring(
    library: Library,
    corpora: Iterable[str] = (),
    addresses: Iterable[str] = (),
    *,
    progress: Progress = ignore_progress,
) -> str:
    """Bring those up to date; returns a sentence when an answer may be older than its source."""
    names = beside(library, corpora, addresses)
    return library.refresh(corpora=names, progress=progress) if names else ""


def _is_live(library: Library, name: Corpus) -> bool:
    home = library.collection(name)
    return home.is_indexed or home.source.exists
