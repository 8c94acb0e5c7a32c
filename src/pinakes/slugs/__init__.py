"""How are headings addressed?

Heading text enters, anchors leave: as GitHub makes them (`github`), which are the addresses of sections everywhere in
Pinakes, and as generators of sites make them (`generators`), by which links may come in. What a heading says or where
it stands is no concern of this room.
"""

from __future__ import annotations

from pinakes.slugs.github import Slugger, slug

__all__ = ["Slugger", "slug"]
