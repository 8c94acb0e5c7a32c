"""Addresses as maps and other answers print them, written out as the index knows them.

A map calls a folder that many files share ``@reference/``, puts a slash before what could be misread, and answers spell
out letters that nobody sees. Whoever reads an answer copies what stands there, so every question takes it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from msgspec.structs import replace

from pinakes.errors import BadAddress, NotFound
from pinakes.library.corpus import Corpus
from pinakes.records import CODE, DOCS, CorpusName, Query, Ref
from pinakes.render.text import unspelled

_LINES = re.compile(r":\d+(?:-\d+)?\Z")


def home_of(corpora: Mapping[CorpusName, Corpus], address: str) -> tuple[Corpus, str]:
    """The corpus that an address names in front, and the rest of it. Without one it is that of the source code for a
    file that is read there, and else the documents of the root."""
    docs, code = corpora[DOCS], corpora.get(CODE)
    if (named := corpus_named_in(corpora, address)) is not None:
        home, rest = named
        return home, written_out(home, rest)
    docs.require_index()
    home = code if code is not None and code.is_indexed and _holds(code, address) else docs
    return home, written_out(home, address)


def corpus_named_in(corpora: Mapping[CorpusName, Corpus], address: str) -> tuple[Corpus, str] | None:
    """The corpus that an address names in front, and the rest as it stands; None where it names none, or is the path of
    a file that is called so. Raises `NotFound` for source code that is not read."""
    docs = corpora[DOCS]
    name, colon, rest = address.partition(":")
    if not colon or name not in (*corpora, CODE):
        return None
    if docs.is_indexed and Ref(DOCS, address) in docs.store.places([Ref(DOCS, address)]):
        return None
    if name not in corpora:
        raise no_corpus(name, corpora)
    return corpora[name], rest


def no_corpus(name: CorpusName, corpora: Iterable[CorpusName]) -> NotFound:
    """Why there is no corpus of a name, and what to do about it."""
    if name == CODE:
        return NotFound("Source code is not read here.", "Set code.enabled = true, then pinakes sync.")
    return NotFound(f"There is no corpus “{name}” here.", f"There are {', '.join(corpora)}.")


def part_of(corpora: Mapping[CorpusName, Corpus], address: str) -> tuple[Corpus, str]:
    """The corpus and the path of the folder or document there that an address names; a path is taken as it stands
    where there is one."""
    home, part = home_of(corpora, address)
    if "%" not in part or (decoded := _path_of(part, home.name)) is None:
        return home, part
    below = part.rstrip("/") + "/"
    is_there = any(path == part or path.startswith(below) for path in home.digests())
    return home, part if is_there else decoded


def _holds(corpus: Corpus, address: str) -> bool:
    """Whether an address names a document of a corpus."""
    plain = dict.fromkeys((address, unspelled(address)))
    whole = [spelling for one in plain for spelling in (one, _LINES.sub("", one))]
    paths = [path for one in whole for path in (one, _path_of(one, corpus.name)) if path]
    return any(known.digest for known in corpus.store.files(corpus.name, paths).values())


def _path_of(address: str, corpus: CorpusName) -> str | None:
    """The path that an address means when it is read as one; None where it names no document of the corpus."""
    try:
        ref = Ref.parse(address, corpus)
    except BadAddress:
        return None
    return ref.path if ref.corpus == corpus else None


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
    if name.startswith("@") and (folders := _called(name, paths)):
        if len(folders) > 1:
            near = " or ".join(f"{folder}/{rest}" for folder in folders[:5])
            raise NotFound(f"“{name}/” is the short name of several folders.", f"Did you mean {near}?")
        return f"{folders[0]}{slash}{rest}"
    return address


def _called(name: str, paths: Iterable[str]) -> Sequence[str]:
    """The folders that a short name means."""
    from pinakes.outline import folders_called  # few addresses begin so, and maps are much to load

    return folders_called(name, paths)


def paths_written_out(home: Corpus, query: Query) -> Query:
    """A question whose filter names folders as the index knows them."""
    paths = tuple(written_out(home, path) for path in query.where.paths)
    return query if paths == query.where.paths else replace(query, where=replace(query.where, paths=paths))


def _leads_to(paths: Iterable[str], address: str) -> bool:
    """Whether the first part of an address is that of a document or a folder."""
    first = address.partition("/")[0].partition("#")[0]
    return any(path == first or path.startswith(f"{first}/") for path in paths)
