"""Documents that live outside the roots: a file elsewhere, a web page, raw text; kept whole, by project."""

from pinakes.added.options import AddedOptions

__all__ = ["AddedOptions"]
