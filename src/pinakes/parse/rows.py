"""Which texts of a drawing stand on one row and belong together.

The attributes of two ``<text>`` elements enter; whether the second goes on where the first ended leaves. Some programs
write every word as an element of its own. Fonts are not known here, so the width of a word is an estimate.
"""

from __future__ import annotations

import re

from msgspec import Struct

_NUMBER = re.compile(r"\s*(-?\d{1,9}(?:\.\d{1,9})?)(?:px)?\s*\Z")
_SIZE = re.compile(r"font-size:\s*(\d{1,4}(?:\.\d{1,6})?)(?:px)?\s*(?:;|\Z)")
_USUAL_SIZE = 16.0
_WIDEST_LETTER = 0.75
"""Of the size of the font; an average letter has half of it."""
_WIDEST_SPACE = 0.5


class TextPlace(Struct, frozen=True):
    """Where a text begins."""

    around: int
    """The number of the element around it."""
    x: float
    y: float
    size: float
    """Of its font."""
    turned: str
    """How it is moved or turned; other texts on its row are so, too."""

    @classmethod
    def read(cls, attributes: dict[str, str], around: int) -> TextPlace | None:
        """None where it cannot be told, or where the text is centred or ends there."""
        style = attributes.get("style", "")
        x, y = (_NUMBER.match(attributes.get(name, "")) for name in ("x", "y"))
        if x is None or y is None or "anchor" in style or attributes.get("text-anchor", "start") != "start":
            return None
        size = _NUMBER.match(attributes.get("font-size", "")) or _SIZE.search(style)
        font = float(size[1]) if size else _USUAL_SIZE
        return cls(around, float(x[1]), float(y[1]), font, attributes.get("transform", ""))

    def continues(self, before: TextPlace, text: str) -> bool:
        """Whether this one begins where `text` ends, which begins at `before`."""
        is_same_row = (self.around, self.y, self.size, self.turned) == (
            before.around,
            before.y,
            before.size,
            before.turned,
        )
        width = len(text) * _WIDEST_LETTER * self.size
        return is_same_row and 0 < self.x - before.x <= width + _WIDEST_SPACE * self.size
