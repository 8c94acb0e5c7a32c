"""Which settings shaped the index, stage by stage, so that a changed one re-does only what it touches.

Each stage keeps one line in the store's settings. When the line it would write today differs from the one kept, what
that stage made is made again; the others are left alone.
"""

from __future__ import annotations

READING = "reading"
"""Setting that names how documents were parsed, cut and named. A difference reads every document again."""

KEYWORDS = "keywords"
"""Setting that names how keywords were made. A difference makes them pending again."""

READING_VERSION = "6"
"""Raise it when parsers, kinds, names or link keys give other results for the same bytes."""

SOURCE = "source"
"""Setting that names what the source is allowed to read. A difference tries failed files again."""

STATISTICS = "keyword_statistics"
"""Setting that holds the corpus's term counts from which keywords were made."""

SNAPSHOT = "glance"
"""Setting that holds the snapshot of the source with which the store last agreed; the stored name is older."""
