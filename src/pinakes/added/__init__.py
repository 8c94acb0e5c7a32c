"""What else should be known here?

Documents that live outside the roots: a file elsewhere, a web page, raw text; kept whole, by project. Bytes enter from
a file, from the web or from whoever calls; files of our own leave, which are indexed like any other. Searching them is
settled in other rooms.
"""

from msgspec import Struct


class AddedOptions(Struct, frozen=True):
    """Where documents may be fetched from."""

    fetch: bool = True
    """Whether `add` may fetch URLs; otherwise it takes only files and text."""
    allow: tuple[str, ...] = ()
    """Private hosts and networks (`wiki.local`, `10.1.0.0/16`) that `add` may fetch from."""
