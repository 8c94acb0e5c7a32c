"""Which sites are made of these documents?

Configuration files of site generators enter, as bytes; the sites they describe leave, and which documents a site lists
by itself. Files are read as data, never run: of a configuration that is a program, only its name counts and what its
text plainly says.
"""

from __future__ import annotations

from pinakes.sites.listed import listed_documents
from pinakes.sites.recognise import FILE_NAMES, MOST_BYTES, SIDEBARS, configurations, recognise

__all__ = ["FILE_NAMES", "MOST_BYTES", "SIDEBARS", "configurations", "listed_documents", "recognise"]
