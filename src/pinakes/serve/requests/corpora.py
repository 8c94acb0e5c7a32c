"""Which corpora a request is about, so that they are brought up to date before it is answered."""

from __future__ import annotations

from collections.abc import Iterable

from pinakes.library import Library
from pinakes.records import ALL_CORPORA, CODE, DOCS, HISTORY, CorpusName, code_media_of
from pinakes.serve.requests.parameters import Request
from pinakes.serve.requests.questions import CheckRequest, HistoryRequest, LinksRequest, MapView, SearchRequest


def addresses(request: Request) -> tuple[str, ...]:
    """Where a request names documents: what these addresses belong to is brought up to date for it."""
    named = (getattr(request, name, "") for name in ("address", "under", "focus", "linked_to"))
    return tuple(one for one in named if one)


def corpora(request: Request) -> tuple[CorpusName, ...]:
    """The corpora that a request names. Links and findings lead from documents to source code and back."""
    if isinstance(request, HistoryRequest):
        return (HISTORY,)
    if isinstance(request, LinksRequest | CheckRequest):
        return (CODE,)
    if (mode := getattr(request, "mode", None)) is not None:  # of a context, which much would be loaded for
        return (mode.corpus,)
    if isinstance(request, MapView):
        return (request.corpus,) if request.corpus else ()
    return request.corpus if isinstance(request, SearchRequest) else ()


def other_corpora(library: Library, corpora: Iterable[str], addresses: Iterable[str]) -> tuple[CorpusName, ...]:
    """The corpora besides the documents of the root that are named, that stand in front of an address, or whose file it
    names."""
    named = tuple(corpora)
    if ALL_CORPORA in named:
        named = library.corpora
    fronts = (_front(address) for address in addresses)
    return tuple(name for name in dict.fromkeys((*named, *fronts)) if name != DOCS and name in library.corpora)


def _front(address: str) -> CorpusName:
    path = address.partition("#")[0].rpartition("/")[2]
    return CODE if code_media_of(path.partition(":")[0]).code else address.partition(":")[0]
