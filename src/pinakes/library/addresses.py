"""Addresses as maps and other answers print them, written out as the index knows them.

A map calls a folder that many files share ``@reference/``, puts a slash before what could be misread, and answers spell
out letters that nobody sees. Whoever reads an answer copies what stands there, so every question takes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pinakes.errors import NotFound
from pinakes.library.corpus import Corpus
from pinakes.outline import folders_called
from pinakes.records import Query
from pinakes.render.text import unspelled


def written_out(home: Corpus, address: str) -> str:
    """The beginning of an address from the root of a corpus, short names and spelled letters replaced; raises
    `NotFound` where a short name means several folders."""
    if not address.startswith(("@", "/")) and "\\" not in address:
        return address
    paths = home.digests()
    part = address.partition("#")[0]
    if (plain := unspelled(address)) != address and not any(path.startswith(part) for path in paths):
        address = plain
    if _leads_to(paths, address):
        return address
    if address.startswith("/"):
        rooted = address.lstrip("/")
        return rooted if _leads_to(paths, rooted) else address
    name, slash, rest = address.partition("/")
    if name.startswith("@") and (folders := folders_called(name, paths)):
        if len(folders) > 1:
            near = " or ".join(f"{folder}/{rest}" for folder in folders[:5])
            raise NotFound(f"“{name}/” is the short name of several folders.", f"Did you mean {near}?")
        return f"{folders[0]}{slash}{rest}"
    return address


def paths_written_out(home: Corpus, query: Query) -> Query:
    """A question whose filter names folders as the index knows them."""
    paths = tuple(written_out(home, path) for path in query.where.paths)
    return query if paths == query.where.paths else replace(query, where=replace(query.where, paths=paths))


def _leads_to(paths: Iterable[str], address: str) -> bool:
    """Whether the first part of an address is that of a document or a folder."""
    first = address.partition("/")[0].partition("#")[0]
    return any(path == first or path.startswith(f"{first}/") for path in paths)
