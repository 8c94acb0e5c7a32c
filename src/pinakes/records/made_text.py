"""Text that was made of a file of another format."""

from __future__ import annotations

from msgspec import Struct


class MadeText(Struct, frozen=True):
    """Markdown that was made of a file."""

    text: str
    places: tuple[tuple[int, str], ...] = ()
    """Lines of the text, from 0, and the addresses in the file that they come from; several may have one line."""
    warnings: tuple[str, ...] = ()
    title: str = ""
    """What it is called, where its first heading does not say so."""
    is_addressed: bool = False
    """Whether the first place of a section is its address, because its heading was made too, as that of a page is."""
