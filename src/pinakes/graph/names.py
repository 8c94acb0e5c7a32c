"""What documents answer to, and under which key each link is looked up.

Documents enter; `Name`s and keys leave. A link is looked up again only when a name with its key appears or vanishes,
so `key_of` must give the key of every name that `resolve` would consider. Whether anything exists is not asked here.
"""

from __future__ import annotations

from pinakes.graph.targets import SYNTAX_OF, read_target, split
from pinakes.records import Document, Link, Name, NameForm, Ref, name_key

_INDEX_STEMS = ("readme", "index", "_index")
"""In the order of preference where a folder holds several."""


def names_of(document: Document) -> tuple[Name, ...]:
    """What a document answers to besides its path, sorted: its folder's index, its aliases and its title."""
    path = document.ref.path
    media = document.stamp.media
    found: set[Name] = set()
    if is_index(path) and media.is_prose:
        found.add(_name(NameForm.INDEX, path.rpartition("/")[0], path))
    for alias in document.metadata.aliases:
        if text := one_line(alias):
            found.add(_name(NameForm.ALIAS, text, path))
    title = one_line(document.title)
    if media.has_title and title and title not in (_file(path), _stem(path)):
        found.add(_name(NameForm.TITLE, title, path))
    return tuple(sorted(found))


def keys_of(document: Document) -> tuple[str, ...]:
    """For each link of a document its key, see `key_of`."""
    origin = document.ref
    return tuple([key_of(link, origin) for link in document.links])


def key_of(link: Link, origin: Ref) -> str:
    """The key of every name that could change where a link leads.

    Empty for links that depend on no name: those into their own document, out of the corpus or out of the root.
    """
    syntax = SYNTAX_OF[link.form]
    text, fragment = split(syntax, link.target)
    if not text and fragment is not None:
        return ""
    return read_target(syntax, text, origin.path.rpartition("/")[0]).key


def is_index(path: str) -> bool:
    """Whether a file is what readers of its folder see first: its README or index."""
    return _stem(path).casefold() in _INDEX_STEMS


def index_order(path: str) -> tuple[int, str]:
    """Sorts the indexes of one folder, the one a link to the folder means first."""
    return _INDEX_STEMS.index(_stem(path).casefold()), path


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
