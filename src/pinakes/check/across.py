"""Finds links into another corpus that name no section or symbol there: from documents into code, and back.

A file that the other corpus reads is there, so only what stands behind the ``#`` can be wrong.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pinakes.cancelling import checked
from pinakes.check.findings import Code, Finding
from pinakes.fuzzy import FuzzyMatcher
from pinakes.graph.across import OtherCorpus, fragment_of
from pinakes.ports import Reader
from pinakes.records import CODE, CorpusName, Edge, Outcome

_CLOSE = 0.8
"""How alike two names must be, from 0 to 1."""
_MOST_ANCHORS = 1000


def broken_across(here: Reader, corpus: CorpusName, there: Reader, other: CorpusName) -> Iterator[Finding]:
    """Links of a corpus to files of another one, behind whose ``#`` nothing of that name stands."""
    across, fuzzy = OtherCorpus(there, other), FuzzyMatcher()
    for edge in checked(here.edges(corpus, outcomes=(Outcome.FOUND,))):
        if (found := across_finding(edge, across, fuzzy)) is not None:
            yield found


def across_finding(edge: Edge, across: OtherCorpus, fuzzy: FuzzyMatcher) -> Finding | None:
    """What is wrong with one link to a file of another corpus; None when nothing is, or when it leads to none."""
    fragment = fragment_of(edge.link)
    if edge.to is None or edge.to.anchor or not fragment:
        return None
    led, target = across.lead(edge), edge.link.target
    if led.outcome is not Outcome.BROKEN_ANCHOR or led.to is None or led.to.corpus != across.corpus:
        return None
    known = _nearest(fragment, sorted(across.anchors(led.to))[:_MOST_ANCHORS], fuzzy)
    suggestion = f"{target[: -len(fragment)]}{known}" if known and target.endswith(fragment) else ""
    what = "symbol" if across.corpus == CODE else "section"
    message = f"“{target}”: {led.to.path} has no such {what}"
    return Finding(Code.BROKEN_ANCHOR, edge.origin, edge.link.line + 1, message, suggestion)


def _nearest(fragment: str, anchors: Sequence[str], fuzzy: FuzzyMatcher) -> str:
    """The anchor most like a fragment, or the only one that ends in the same name."""
    name = fragment.rpartition(".")[2]
    same = [anchor for anchor in anchors if anchor.rpartition(".")[2] == name]
    return same[0] if len(same) == 1 else next(iter(fuzzy.closest(fragment, anchors, count=1, at_least=_CLOSE)), "")
