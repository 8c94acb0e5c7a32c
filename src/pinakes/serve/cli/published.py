"""What `pinakes read` prints for the address of a published folder: its list, a document, or the best chunks of one.

An address enters, what to print leaves. This is the only part of `read` that asks the network, and only because
somebody typed an address. It goes by the rules of `pinakes add`: public addresses, and what the user's settings allow.
This machine is allowed too when the address itself names it, for that is where `pinakes serve --published` answers;
then no redirect is followed, so that nobody is led from one service of the machine to another.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import quote, unquote

from pinakes.added.addresses import AllowedHosts
from pinakes.added.fetch import FetchLimits, fetch
from pinakes.added.urls import read_url
from pinakes.client import PublishedChunk, PublishedDocument, PublishedSite, base_of
from pinakes.config import find_root, load_config
from pinakes.render import safe
from pinakes.serve.cli.build import Output
from pinakes.serve.requests.questions import ReadRequest

_HERE = frozenset(("localhost", "127.0.0.1", "::1"))
_LIST = "llms.txt"
_MOST_BYTES = 100_000_000


def published(request: ReadRequest) -> Output:
    """What an address such as ``https://example.org/docs/#guide/reading.md`` names."""
    url, _, name = request.address.partition("#")
    folder = PublishedSite(_Fetching(url))
    if not name:
        listed = safe(folder.fetch(_LIST).decode("utf-8", "replace"), keep="\n")
        return Output({"title": folder.title, "topics": folder.topics}, listed)
    document = folder.document(unquote(name))
    facts: dict[str, object] = {"name": document.name, "title": document.title}
    if request.first is None:
        text = document.text()
        shown, record = safe(text, keep="\n\t"), {**facts, "text": text}
    else:
        chunks = list(document.chunks(request.first))
        text = "".join(chunk.text for chunk in chunks)
        shown = "\n".join(_shown(document, chunk) for chunk in chunks)
        record = {**facts, "order": document.order, "chunks": chunks}
    return Output(record, text if request.plain else shown, is_verbatim=request.plain)


def _shown(document: PublishedDocument, chunk: PublishedChunk) -> str:
    text = safe(chunk.text, keep="\n\t")
    return f"{safe(document.name)}:{safe(chunk.lines)} ({safe(chunk.title)})\n\n{text}"


class _Fetching:
    """Fetches files below one address."""

    def __init__(self, url: str) -> None:
        self._base = base_of(url)
        host = read_url(self._base).host
        allowed = AllowedHosts.of(load_config(find_root(Path.cwd())).added.allow)
        is_here = host in _HERE
        self._allowed = AllowedHosts(allowed.hosts | {host}, allowed.networks) if is_here else allowed
        self._limits = FetchLimits(_MOST_BYTES, redirects=0 if is_here else FetchLimits().redirects, media=("",))

    def __call__(self, place: str) -> bytes:
        found = fetch(self._base + quote(place), self._allowed, limits=self._limits)
        return b"" if found is None else found.data
