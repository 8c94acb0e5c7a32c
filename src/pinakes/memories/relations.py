"""What a memory says about the targets of its links, by the words around each link.

A document enters, a `Relation` per link leaves: that of the nearest verb before the link in its sentence, else of the
nearest verb after it, else `mentions`. Words of other links do not count: they are names.
"""

from __future__ import annotations

import re

from pinakes.cancelling import checked
from pinakes.records import Document, Link, Relation

_VERBS = {
    Relation.PLANS: r"(?:plan(?:s|ned|ning)?|intend\w*|propos\w+|going)(?: to \w+)?|schedul\w+|will(?: be)?(?: \w+)?",
    Relation.REFACTORS: r"refactor\w*|rewrit\w+|rewrote|restructur\w+|reorgani[sz]\w+|renam\w+|simplif\w+|clean\w*",
    Relation.IMPLEMENTS: r"implement\w*|build(?:s|ing)?|built|add(?:s|ed|ing)?|introduc\w+|ship(?:s|ped|ping)?",
    Relation.TESTS: r"test(?:s|ed|ing)?|cover(?:s|ed|ing)|verif(?:y|ies|ied|ying)|benchmark(?:s|ed|ing)?",
    Relation.FIXES: r"fix(?:es|ed|ing)?|repair\w*|resolv(?:es|ed|ing)|correct(?:s|ed|ing)|patch(?:es|ed|ing)?",
    Relation.DECIDES: r"decid\w+|decisions?|choos\w+|chose|chosen|agree[ds]?|settle[ds]?",
    Relation.REPLACES: r"replac\w+|supersed\w+|deprecat\w+|remov\w+|drop(?:s|ped|ping)?|delet\w+",
    Relation.DOCUMENTS: r"document(?:s|ed|ing)|describ\w+|explain\w*",
    Relation.DEPENDS_ON: r"depend\w*|requir\w+|need(?:s|ed|ing)?|block(?:s|ed|ing)?",
}
_VERB = re.compile(
    r"(?<![\w/.-])(?:"
    + "|".join(f"(?P<{relation.name}>{words})" for relation, words in _VERBS.items())
    + r")(?![\w/])",
    re.IGNORECASE,
)
_BETWEEN = re.compile(r"[.!?;:](?=\s)|\n[ \t\r]*\n|\n[ \t]*(?:[-*+]|\d+[.)])[ \t]|\n#")
"""What ends a sentence, a paragraph or an item of a list."""
_REACH = 400
"""Bytes on each side; no sentence worth reading is longer."""
_HEADING = re.compile(r"\A#+[^\n]*\n")


def relations_of(document: Document) -> tuple[Relation, ...]:
    """For each link of a document, in their order, what the words around it say about its target.

    A relation that the link's own heading gives comes first. The cost grows with the text, whatever the number of
    links: the words of all links are masked once, and each link looks at `_REACH` bytes on both sides.
    """
    words = _without_links(document)
    return tuple([_relation(document, link, words) for link in checked(document.links)])


def _without_links(document: Document) -> bytes:
    """The source with every link replaced by underscores, byte for byte."""
    words = bytearray(document.source)
    covered = 0
    # Images nest as deep as a stranger likes, so a byte that is covered already is not written again.
    for start, end in sorted((link.span.start, link.span.end) for link in document.links):
        start = max(start, covered)
        if start < end:
            words[start:end] = b"_" * (end - start)
            covered = end
    return bytes(words)


def _relation(document: Document, link: Link, words: bytes) -> Relation:
    if link.relation is not Relation.LINKS_TO:
        return link.relation
    own = document.own(link.section)
    before = words[max(own.start, link.span.start - _REACH) : link.span.start].decode("utf-8", "ignore")
    after = words[link.span.end : min(own.end, link.span.end + _REACH)].decode("utf-8", "ignore")
    before = _BETWEEN.split(_HEADING.sub("", before))[-1]
    after = _BETWEEN.split(after, maxsplit=1)[0]
    verbs = list(_VERB.finditer(before))
    verb = verbs[-1] if verbs else _VERB.search(after)
    return Relation[verb.lastgroup] if verb is not None and verb.lastgroup else Relation.MENTIONS
