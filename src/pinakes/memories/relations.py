"""What a memory says about what it points at, by the words around the link.

A document and one of its links enter, a `Relation` leaves: that of the nearest verb before the link in its sentence,
else of the nearest behind it, else `mentions`. Words of other links do not count: they are names.
"""

from __future__ import annotations

import re

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


def relation_of(document: Document, link: Link) -> Relation:
    """What the words around a link say about its target; what its heading says comes first."""
    if link.relation is not Relation.LINKS_TO:
        return link.relation
    own = document.own(link.section)
    start, end = max(own.start, link.span.start - _REACH), min(own.end, link.span.end + _REACH)
    words = bytearray(document.source[start:end])
    for other in document.links:
        if other.span.end > start and other.span.start < end:
            for at in range(max(other.span.start, start) - start, min(other.span.end, end) - start):
                words[at] = ord("_")
    before = words[: link.span.start - start].decode("utf-8", "ignore")
    after = words[link.span.end - start :].decode("utf-8", "ignore")
    before = _BETWEEN.split(_HEADING.sub("", before))[-1]
    after = _BETWEEN.split(after, maxsplit=1)[0]
    found = list(_VERB.finditer(before))
    verb = found[-1] if found else _VERB.search(after)
    return Relation[verb.lastgroup] if verb is not None and verb.lastgroup else Relation.MENTIONS
