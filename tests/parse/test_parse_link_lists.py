"""Sections that are lists of links."""

from __future__ import annotations

from kits.enrich import parsed
from pinakes.records import Shape


def test_a_section_whose_links_say_more_than_the_rest_is_a_list_of_links() -> None:
    text = (
        "# Page\n\nSee [one](a.md) and [two](b.md) for what is told at length in other places of this manual.\n\n"
        "## [Linked](x.md) heading\n\nText.\n\n"
        "## What's next\n\n- [Install the server](a.md)\n- [Configure it](b.md): options\n\n"
        "## See also\n\n* [[install]]\n* [[configure]]\n\n"
        "## Only one\n\n[Install](a.md)\n"
    )
    lists = [section.anchor for section in parsed(text).sections if Shape.LINKS in section.shapes]
    assert lists == ["whats-next", "see-also"]
