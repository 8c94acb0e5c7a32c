"""What else should be known here?

Documents that live outside the roots: a file elsewhere, a web page, raw text; kept whole, by project. Bytes enter from
a file, from the web or from whoever calls; files of our own leave, which are indexed like any other. Searching them is
settled in other rooms.
"""

from pinakes.added.options import AddedOptions

__all__ = ["AddedOptions"]
