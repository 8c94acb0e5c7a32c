"""What documents answer to, and under which key each link is looked up.

Documents enter; `Name`s and keys leave. A link is looked up again only when a name with its key appears or vanishes,
so `key_of` must give the key of every name that `resolve` would consider. Whether anything exists is not asked here.
"""

from __future__ import annotations

from pinakes.graph.org_ids import ids_of
from pinakes.graph.site_addresses import addresses_of
from pinakes.graph.symbols import code_names, symbol_key
from pinakes.graph.targets import read_link, read_target
from pinakes.records import Document, Link, LinkForm, Name, NameForm, Ref, name_key
from pinakes.records.graph import INDEX_STEMS
from pinakes.records.sites import NO_SITES, Sites


def names_of(document: Document, sites: Sites = NO_SITES) -> tuple[Name, ...]:
    """What a document answers to besides its path, sorted: its folder's index, its aliases, its title, and addresses
    on its site."""
    path = document.ref.path
    media = document.stamp.media
    if media.code is not None:
        return tuple(sorted(set(code_names(document))))
    found: set[Name] = set()
    if is_index(path) and media.is_prose:
        found.add(_name(NameForm.INDEX, path.rpartition("/")[0], path))
    for alias in document.metadata.aliases:
        if text := one_line(alias):
            found.add(_name(NameForm.ALIAS, text, path))
    title = one_line(document.title)
    if media.has_title and title and title not in (_file(path), _stem(path)):
        found.add(_name(NameForm.TITLE, title, path))
    found.update(_name(NameForm.ADDRESS, name, path) for name in ids_of(document))
    if site := sites.of(path):
        found.update(_name(NameForm.ADDRESS, address, path) for address in addresses_of(document, site))
    return tuple(sorted(found))


def keys_of(document: Document, sites: Sites = NO_SITES) -> tuple[str, ...]:
    """For each link of a document its key, see `key_of`."""
    origin = document.ref
    return tuple([key_of(link, origin, sites) for link in document.links])


def key_of(link: Link, origin: Ref, sites: Sites = NO_SITES) -> str:
    """The key of every name that could change where a link leads.

    Empty for links that depend on no name: those into their own document, out of the corpus or out of the root.
    """
    if link.form is LinkForm.SYMBOL:
        return symbol_key(link.target)
    syntax, text, fragment = read_link(link)
    if not text and fragment is not None:
        return ""
    return read_target(syntax, text, origin.path.rpartition("/")[0], sites.page(origin.path)).key


def is_index(path: str) -> bool:
    """Whether a file is what readers of its folder see first: its README or index."""
    return _stem(path).casefold() in INDEX_STEMS


def index_order(path: str) -> tuple[int, str]:
    """Sorts the indexes of one folder, the one a link to the folder means first."""
    return INDEX_STEMS.index(_stem(path).casefold()), path


def one_line(text: str) -> str:
    """Text as a name: runs of white space are one space."""
    return " ".join(text.split())


def _name(form: NameForm, text: str, path: str) -> Name:
    return Name(name_key(text), form, text, path)


def _file(path: str) -> str:
    return path.rpartition("/")[2]


def _stem(path: str) -> str:
    file = _file(path)
    return file.rpartition(".")[0] or file
