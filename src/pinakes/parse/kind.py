"""What a document is for: by what its frontmatter says, where it lies and how its headings run.

In come a path, sections, a title and the frontmatter's types, out comes a `Kind`; no text is read. The frontmatter
decides before names, names before titles and headings, the file's own name before its folders, and the nearest folder
first. A name is judged by its first and last words: a `user-guide` is a guide, a page about `api-keys` is no reference.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from pinakes.records import Kind, Section

_WHOLE = {
    **dict.fromkeys(("design", "design doc", "design docs", "design documents"), Kind.SPEC),
    **dict.fromkeys(("decision log", "decision record", "decision records"), Kind.DECISION),
    **dict.fromkeys(("contributing", "install", "installation"), Kind.GUIDE),
    **dict.fromkeys(("api", "api docs", "endpoints", "reference manual"), Kind.REFERENCE),
    **dict.fromkeys(("notes", "meeting", "meetings", "meeting notes", "journal"), Kind.NOTES),
    **dict.fromkeys(("changes", "release notes", "whats new", "what's new"), Kind.CHANGELOG),
    **dict.fromkeys(("concept", "concepts", "explanation", "explanations", "glossary", "landing"), Kind.UNKNOWN),
}
"""Names that tell only as a whole. Those that tell of no kind keep the folders around them from telling another:
concepts among the guides are no guides."""
_LAST = {
    **dict.fromkeys(("adr", "adrs", "decision", "decisions"), Kind.DECISION),
    **dict.fromkeys(
        ("spec", "specs", "specification", "specifications", "proposal", "proposals", "rfc", "rfcs"), Kind.SPEC
    ),
    **dict.fromkeys(
        ("guide", "guides", "howto", "howtos", "quickstart", "quickstarts", "started", "tutorial", "tutorials"),
        Kind.GUIDE,
    ),
    "walkthrough": Kind.GUIDE,
    "reference": Kind.REFERENCE,
    **dict.fromkeys(("changelog", "changelogs"), Kind.CHANGELOG),
    "minutes": Kind.NOTES,
}
"""What a name is when it ends so: in English the last word is the thing and those before it say which."""
_FIRST = {
    "adr": Kind.DECISION,
    "rfc": Kind.SPEC,
    **dict.fromkeys(("guide", "howto", "quickstart", "started", "tutorial"), Kind.GUIDE),
    **dict.fromkeys(("about", "why"), Kind.UNKNOWN),
}
_JOINED = re.compile(r"\b(how)[-_. ](tos?)\b|\b(quick)[-_. ](starts?)\b|\bget(?:ting)?[-_. ](started)\b")
_WORD = re.compile(r"[^\W\d_]+")
_VERSION = re.compile(r"\bv(?=\d)")
_STEP = re.compile(r"step\s+\d+\b")
_DOING = re.compile(r"(?!understanding|troubleshooting|billing|pricing)[a-z]{3,}ing\s+(?!and\b|for\b)\S")
"""How a title or heading begins that tells how to do something: “Configuring a proxy”. Single words name a subject:
“Testing”."""
_RELEASE = re.compile(r"(?:\w+ (?=v)|version |release )?\[?v?\d+\.\d+|\[?unreleased\b")
"""How the heading of a release begins: “v1.2.3 (2026-01-31)”, “[1.2.0]”, “Aider v0.86”."""
_FEWEST_RELEASES = 3
_OF_DECISIONS = {"status", "context", "decision"}
_OF_PROPOSALS = {"abstract", "motivation", "rationale"}
_OF_MANUALS = {
    "arguments",
    "classes",
    "functions",
    "methods",
    "options",
    "parameters",
    "properties",
    "returns",
    "synopsis",
    "syntax",
}
_BESIDE_THEM = {"attributes", "description", "example", "examples", "return", "see", "type", "usage"}


def kind_of(path: str, sections: Sequence[Section], title: str = "", types: Iterable[str] = ()) -> Kind:
    """The document's kind; `Kind.UNKNOWN` where neither its frontmatter nor its path, title and headings say.

    >>> kind_of("docs/adr/0007-use-sqlite.md", ())
    Kind.DECISION
    """
    *folders, name = path.lower().split("/")
    for said in types:
        # A field of more words is a topic: “Get started with the command line”.
        if said.count(" ") < 2 and (kind := _named(said.lower())) is not None:
            return kind
    if name.startswith("readme"):
        return Kind.README
    for segment in (name.rpartition(".")[0] or name, *reversed(folders)):
        if (kind := _named(segment)) is not None:
            return kind
    return _by_headings(title.strip().lower(), sections)


def _named(name: str) -> Kind | None:
    """What a name says, without numbers and versions, as in ``0007-decision``, ``rfc12`` and ``spec-v2``."""
    words = _WORD.findall(_VERSION.sub(" ", _JOINED.sub(_joined, name)))
    if not words:
        return None
    kind = _WHOLE.get(" ".join(words))
    if kind is None and words[-2:-1] in (["decision"], ["release"]):
        kind = _WHOLE.get(" ".join(words[-2:]))  # architecture-decision-records
    if kind is None:
        kind = _LAST.get(words[-1])
    return kind if kind is not None else _FIRST.get(words[0])


def _joined(found: re.Match[str]) -> str:
    return "".join(part for part in found.groups() if part)


def _by_headings(title: str, sections: Sequence[Section]) -> Kind:
    headings = [(section.level, section.title.strip().lower()) for section in sections if section.title.strip()]
    if headings and (headings[0][1] == title or [level for level, _ in headings].count(headings[0][0]) == 1):
        del headings[0]  # the title of the page, or of what the page is part of
    highest = min((level for level, _ in headings), default=0)
    first_words = [found[0] if (found := _WORD.match(text)) else "" for _, text in headings]
    top = {word for (level, _), word in zip(headings, first_words, strict=True) if level == highest}
    highest_titles = [text for level, text in headings if level == highest]
    releases = sum([_RELEASE.match(text) is not None for text in highest_titles])
    if releases >= _FEWEST_RELEASES and 2 * releases >= len(highest_titles):
        return Kind.CHANGELOG
    if _OF_DECISIONS.issubset(first_words):
        return Kind.DECISION
    if "specification" in top and top & _OF_PROPOSALS:
        return Kind.SPEC
    if top & _OF_MANUALS and top <= _OF_MANUALS | _BESIDE_THEM:
        return Kind.REFERENCE
    if _DOING.match(title) or _named(title) is Kind.GUIDE:
        return Kind.GUIDE
    steps = sum([_STEP.match(text) is not None for _, text in headings])
    deeds = sum([_DOING.match(text) is not None for _, text in headings])
    return Kind.GUIDE if steps >= 2 or deeds >= max(2, len(headings) / 2) else Kind.UNKNOWN
