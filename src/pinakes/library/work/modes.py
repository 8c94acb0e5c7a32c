"""Which modes a library can be worked in, and what a switch between them comes to."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec import Struct

from pinakes.context.modes import ContextMode
from pinakes.context.snippets import SnippetList
from pinakes.errors import StoreError
from pinakes.records import CODE, DOCS
from pinakes.sources.code import unread_languages

if TYPE_CHECKING:
    from pinakes.library.library import Library

SWITCHED = {ContextMode.CODE: "Switched to code mode", ContextMode.DOCS: "Switched to document mode"}
"""What a conversation is told of a switch."""


class KeywordState(Struct, frozen=True):
    """Whether outlines have keywords."""

    keywords_available: bool
    keywords_message: str
    """Why not all of them do, and what to do about it; empty where they do."""


class ModeSwitch(Struct, frozen=True):
    """What a page has to know after a switch."""

    mode: ContextMode
    message: str
    keywords: KeywordState
    snippets: SnippetList

    def plain(self) -> dict[str, object]:
        """As data for JSON."""
        return {
            "mode": self.mode.value,
            "message": self.message,
            "keywords_available": self.keywords.keywords_available,
            "keywords_message": self.keywords.keywords_message,
            "snippets": self.snippets.snippets,
            "snippets_warning": self.snippets.warning,
            "selection": [],
        }


def why_no_code(library: Library) -> str:
    """Why there is no code mode here, and what to do about it; empty where there is."""
    if CODE not in library.corpora:
        return "Source code is not read here. Start pinakes work without --no-code, or set code.enabled = true."
    code = library.corpus(CODE)
    with suppress(StoreError):  # an index that is damaged, or that came along: whoever asks it is told
        if not code.is_indexed or code.store.counts(CODE).documents:
            return ""
        if unread_languages(code.store.files(CODE)):
            return 'The source code here cannot be read. Run: pip install "pinakes[code]"'
        return "There is no source code here in a language that is read."
    return ""


def keyword_state(library: Library) -> KeywordState:
    """Whether keywords can be made, and what is still missing of them."""
    maker = library.corpus(DOCS).keyword_maker
    if not library.config.keywords.enabled:
        return KeywordState(keywords_available=False, keywords_message="Keywords are switched off (keywords.enabled).")
    missing = maker.missing_model()
    return KeywordState(not missing, missing and f"Outlines have no new keywords. {missing}")
