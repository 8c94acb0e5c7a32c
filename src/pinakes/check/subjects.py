"""Decides whether two sections are about the same subject, so that their values can contradict each other.

Documents and sections enter, a verdict leaves. Pages made from one template, editions of one page, translations and
records of the past are about different subjects, however alike their sentences are.
"""

from __future__ import annotations

import re

from msgspec import Struct

from pinakes.records import Document, Kind, Ref


class ComparablePage(Struct, frozen=True):
    """What has to be known of a document to compare it with others."""

    ref: Ref
    title: str
    headings: frozenset[str]
    editions: frozenset[str]
    """Parts of its path that name a version, a date or a language."""


class ComparableSection(Struct, frozen=True):
    """A section of a page."""

    page: ComparablePage
    section: int
    anchor: str
    trail: tuple[str, ...]
    """Headings down to it, in lower case."""


_PAST = re.compile(
    r"\b(?:change[- ]?logs?|release[- ]notes?|(?:release|version)[- ]history|what'?s[- ]new|newsletters?|blogs?"
    r"|migrat\w+|upgrad\w+|deprecat\w+|roadmaps?|meeting[- ]notes?|seps?|rfcs?|adrs?)\b"
    r"|(?:^|/) ?(?:\d[\d-]*)?(?:changes|history|news|releases?|posts|archived?|minutes|meetings?|proposals?|decisions?)"
    r"(?=$|/|\.\w+$)",
    re.IGNORECASE,
)
"""Records of what was true once, and proposals of what may be. Words that mean other things too count where they are
the whole heading or the whole name of a file or folder."""
_NO_DOCUMENTATION = re.compile(
    r"\b(?:fixtures?|tests?|testdata|examples?|samples?|demos?|vendor|third[- ]party)\b", re.IGNORECASE
)
_IN_TIME = re.compile(
    r"\d+\.\d+|\b(?:19|20)\d\d\b|\bv\d+\b|\b(?:examples?|tutorials?|exercises?|demos?|walkthrough)\b", re.IGNORECASE
)
_VERSION = re.compile(r"\d+\.\d+|\b(?:19|20)\d\d\b|\bv\d+\b", re.IGNORECASE)
_EDITION = re.compile(
    r"(?:versions?[-_ ]?|releases?[-_ ]?|v)?\d+(?:[._-]\d+)*(?:\.x)?|.*\d\.\d.*|.*\d{4}-\d\d.*"
    r"|latest|next|stable|current|legacy|draft|nightly|(?P<language>[a-z]{2})(?:[-_][a-z]{2,4})?"
)
_LANGUAGES = frozenset((
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr", "he", "hi", "hr", "hu", "id",
    "it", "ja", "ko", "lt", "lv", "ms", "nb", "nl", "no", "pl", "pt", "ro", "ru", "sk", "sl", "sr", "sv", "th", "tr",
    "uk", "ur", "vi", "zh"))  # fmt: skip
_SHARED_HEADINGS = 0.4


def tells_of_the_past(document: Document, section: int) -> bool:
    """Whether a section says what was so once: in a change log or a guide to upgrades, or under a version's heading."""
    if document.kind is Kind.CHANGELOG or _PAST.search(document.ref.path.replace("_", " ")):
        return True
    titles = (document.title, *document.trail(section))
    return any(_PAST.search(title) for title in titles) or any(map(_VERSION.search, titles[1:]))


def comparable_page(document: Document) -> ComparablePage | None:
    """None for documents that do not describe the present state: drawings, change logs, news, test fixtures."""
    spaced = document.ref.path.replace("_", " ")
    if not document.stamp.media.is_prose or _PAST.search(spaced) or _NO_DOCUMENTATION.search(spaced):
        return None
    if _PAST.search(document.title):
        return None
    return ComparablePage(
        document.ref,
        document.title.casefold(),
        frozenset(section.title.casefold() for section in document.sections if section.title),
        _editions(document.ref.path),
    )


def comparable_section(page: ComparablePage, document: Document, section: int) -> ComparableSection | None:
    """None for sections about one version, a date or an example."""
    trail = document.trail(section)
    if any(_PAST.search(title) or _IN_TIME.search(title) for title in trail):
        return None
    titles = tuple([title.casefold() for title in trail])
    return ComparableSection(page, section, document.sections[section].anchor, titles)


def same_subject(one: ComparableSection, other: ComparableSection) -> bool:
    """Whether both stand under the same headings, in one document or in two with the same title."""
    return one.page.title == other.page.title and one.trail == other.trail


def different_subjects(one: ComparableSection, other: ComparableSection) -> bool:
    """Whether they cannot be compared: editions or translations of a page, or pages cut from one template."""
    first, second = one.page, other.page
    if first.editions != second.editions:
        return True
    if first.title == second.title:
        return False
    shared = len(first.headings & second.headings)
    return shared >= 2 and shared >= _SHARED_HEADINGS * min(len(first.headings), len(second.headings))


def _editions(path: str) -> frozenset[str]:
    *folders, name = path.lower().split("/")
    parts = [*folders, *name.split(".")[:-1], *name.split(".")[0].split("_")[1:]]
    return frozenset(
        part
        for part in parts
        if (found := _EDITION.fullmatch(part)) and (not found["language"] or found["language"] in _LANGUAGES)
    )
