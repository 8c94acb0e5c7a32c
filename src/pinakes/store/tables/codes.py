"""The codes that columns hold in the place of names."""

from __future__ import annotations

from pinakes.records import LinkForm, Outcome, Relation, Shape

# Positions in these are what columns hold, so they may grow at the end and never change otherwise.
OUTCOMES = (
    Outcome.FOUND,
    Outcome.EXTERNAL,
    Outcome.BROKEN_ANCHOR,
    Outcome.MISSING,
    Outcome.AMBIGUOUS,
    Outcome.OUTSIDE,
    Outcome.NO_FILE,
)
FORMS = (
    LinkForm.LINK,
    LinkForm.IMAGE,
    LinkForm.WIKILINK,
    LinkForm.EMBED,
    LinkForm.HTML,
    LinkForm.FRONTMATTER,
    LinkForm.PATH,
    LinkForm.SYMBOL,
)
RELATIONS = tuple(Relation)
"""Stored by position, so new ones are added at the end."""
SHAPES = {"t": Shape.TABLE, "c": Shape.CODE, "f": Shape.FORMULA, "d": Shape.DIAGRAM, "l": Shape.LINKS}
"""A section's shapes are one letter each."""

NO_FILE = OUTCOMES.index(Outcome.NO_FILE)
