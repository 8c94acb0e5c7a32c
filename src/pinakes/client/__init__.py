"""A client for a folder that `pinakes publish` wrote: its index, its topics, search, and the best chunks of a document.

    from pinakes.client import open_published

    folder = open_published("https://example.org/docs/")     # or a path
    for chunk in folder.document("guide/reading.md").chunks(first=3):
        print(chunk.title, chunk.text)
    for hit in folder.search("tide table"):
        print(hit.source, hit.chunk().text)

Reading needs the standard library and two small modules of Pinakes; searching splits words as the library does.
"""

from pinakes.client.fetching import base_of
from pinakes.client.site import (
    PublishedChunk,
    PublishedDocument,
    PublishedHit,
    PublishedSite,
    PublishedTopic,
    open_published,
)

__all__ = [
    "PublishedChunk",
    "PublishedDocument",
    "PublishedHit",
    "PublishedSite",
    "PublishedTopic",
    "base_of",
    "open_published",
]
