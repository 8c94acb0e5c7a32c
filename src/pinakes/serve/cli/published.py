"""What `pinakes read` prints for the address of a published folder: its list, a document, or the best chunks of one.

An address enters, text leaves. This is the only part of `read` that asks the network, and only because somebody typed
an address. It goes by the rules of `pinakes add`: public addresses, and what the user's settings allow. This machine is
allowed too when the address itself names it, for that is where `pinakes serve --published` answers; then no redirect is
followed, so that nobody is led from one service of the machine to another.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from urllib.parse import quote, unquote

from pinakes.added.addresses import Allowed
from pinakes.added.fetch import Limits, fetch
from pinakes.added.urls import read_url
from pinakes.client import PublishedChunk, PublishedDocument, PublishedSite, base_of
from pinakes.config import find_root, load_config
from pinakes.render import dumps, safe, wire
from pinakes.serve.cli import frame

_HERE = frozenset(("localhost", "127.0.0.1", "::1"))
_LIST = "llms.txt"
_MOST_BYTES = 100_000_000


def print_published(address: str, first: int | None, *, plain: bool, as_json: bool) -> None:
    """Print what an address such as ``https://example.org/docs/#guide/reading.md`` names."""
    url, _, name = address.partition("#")
    folder = PublishedSite(_Fetching(url))
    if not name:
        _print_list(folder, as_json=as_json)
        return
    document = folder.document(unquote(name))
    if first is None:
        text = document.text()
        shown = safe(text, keep="\n\t")
        made: object = {"name": document.name, "title": document.title, "text": text}
    else:
        chunks = list(document.chunks(first))
        text = "".join(chunk.text for chunk in chunks)
        shown = "\n".join(_shown(document, chunk) for chunk in chunks)
        made = {"name": document.name, "title": document.title, "order": document.order, "chunks": _wired(chunks)}
    if as_json:
        frame.echo(dumps(wire(made)))
    elif plain:
        frame.echo_verbatim(text)
    else:
        frame.echo(shown)


def _print_list(folder: PublishedSite, *, as_json: bool) -> None:
    if as_json:
        frame.echo(dumps(wire({"title": folder.title, "topics": folder.topics})))
    else:
        frame.echo(safe(folder.fetch(_LIST).decode("utf-8", "replace"), keep="\n"))


def _shown(document: PublishedDocument, chunk: PublishedChunk) -> str:
    text = safe(chunk.text, keep="\n\t")
    return f"{safe(document.name)}:{safe(chunk.lines)} ({safe(chunk.title)})\n\n{text}"


def _wired(chunks: Sequence[PublishedChunk]) -> list[dict[str, object]]:
    return [
        {"index": one.index, "title": one.title, "lines": one.lines, "tokens": one.tokens, "text": one.text}
        for one in chunks
    ]


class _Fetching:
    """Fetches files below one address."""

    def __init__(self, url: str) -> None:
        self._base = base_of(url)
        host = read_url(self._base).host
        allowed = Allowed.of(load_config(find_root(Path.cwd())).added.allow)
        is_here = host in _HERE
        self._allowed = Allowed(allowed.hosts | {host}, allowed.networks) if is_here else allowed
        self._limits = Limits(_MOST_BYTES, redirects=0 if is_here else Limits().redirects, media=("",))

    def __call__(self, place: str) -> bytes:
        found = fetch(self._base + quote(place), self._allowed, limits=self._limits)
        return b"" if found is None else found.data
