"""What is it about? The keywords of sections.

Parsed documents enter, phrases leave; nothing is read or kept here. `Statistics` of the corpus come in as
a value, so that the same document always gets the same keywords.
"""

from __future__ import annotations

from pinakes.enrich.keywords import KeywordOptions, fingerprint, keywords
from pinakes.enrich.statistics import Statistics, WordTally, count

__all__ = ["KeywordOptions", "Statistics", "WordTally", "count", "fingerprint", "keywords"]
