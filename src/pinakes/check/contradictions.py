"""Places that say the same thing with another value.

Statements of the same words are brought together, and so are the defaults of options of the same name. From each such
group one finding leaves, if two of its places are about the same thing and their values cannot both be right. Nothing
is compared with anything outside its group, so the time grows with the text and not with its square.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import combinations

from msgspec import Struct

from pinakes.cancelling import checked
from pinakes.check.defaults import Default, defaults
from pinakes.check.findings import Code, Finding, Location
from pinakes.check.statements import VALUE, Statement, blocks, statements
from pinakes.check.subjects import (
    ComparableSection,
    comparable_page,
    comparable_section,
    different_subjects,
    same_subject,
)
from pinakes.check.values import disagree
from pinakes.ports import Reader
from pinakes.records import BlockKind, CorpusName, Document, Ref

_MOST_PLACES = 12
_MOST_VALUES = 3
"""More of either is a turn of phrase or a table spread over pages, not a contradiction."""
_FEWEST_WORDS = 3
"""That matter, for a statement to name its subject itself; one less is enough under the same headings."""
_SHARED_WORDS = 2
"""That two descriptions of an option must have in common."""
_QUOTED = 5
"""Words on each side of a value that are quoted."""
_LEANING = frozenset((
    "this", "that", "these", "those", "it", "its", "it's", "they", "their", "there", "here", "above",
    "below"))  # fmt: skip
"""Words near the beginning of a sentence whose subject is somewhere else."""
_EXAMPLE = frozenset(("example", "examples", "e.g", "eg", "i.e", "suppose", "imagine", "following"))
_SMALL = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "been", "by", "can", "could", "for", "from", "has", "have", "if", "in",
    "into", "is", "it", "its", "may", "more", "must", "of", "on", "or", "per", "should", "so", "than", "that", "the",
    "then", "there", "this", "to", "up", "was", "we", "were", "when", "which", "will", "with", "would", "you", "your",
    "our"))  # fmt: skip
_SAME = {"newer": "later", "higher": "later", "greater": "later", "above": "later", "maximum": "max", "minimum": "min"}
_SAID_OF_ALL = frozenset(("default", "defaults", "value", "values"))
"""Words that every default is described with."""
_MARKS = "*_|.,;: "
_LETTERS = re.compile(r"[^\W\d_]{2,}")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|e|s)$")


class _Claim(Struct, frozen=True):
    """A statement or default with a value, and its section."""

    place: ComparableSection
    what: Statement | Default

    @property
    def values(self) -> tuple[str, ...]:
        return self.what.values if isinstance(self.what, Statement) else (self.what.value,)

    @property
    def path(self) -> str:
        return self.place.page.ref.path

    def order(self) -> tuple[str, int, tuple[str, ...]]:
        return self.path, self.what.line, self.values


class Claims:
    """What each document states with a value. A document is read again when its digest is another one."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[str, tuple[tuple[tuple[str, ...], _Claim], ...]]] = {}

    def grouped(self, reader: Reader, corpus: CorpusName) -> Iterable[Sequence[_Claim]]:
        """The claims of all documents; those that could contradict each other stand together."""
        groups: dict[tuple[str, ...], list[_Claim]] = defaultdict(list)
        known = {}
        for path, file in checked(reader.files(corpus).items()):
            kept = self._known.get(path)
            if kept is None or kept[0] != file.digest:
                document = reader.document(Ref(corpus, path)) if file.digest else None
                kept = file.digest, tuple(_claims(document)) if document else ()
            known[path] = kept
            for key, one in kept[1]:
                groups[key].append(one)
        self._known = known
        return groups.values()


def contradictions(reader: Reader, corpus: CorpusName, claims: Claims) -> Iterator[Finding]:
    """One finding for each thing that is stated with different values."""
    for group in checked(claims.grouped(reader, corpus)):
        if len(group) > 1 and (pair := _contradiction(sorted(group, key=_Claim.order))):
            yield _finding(*pair)


def _claims(document: Document) -> Iterator[tuple[tuple[str, ...], _Claim]]:
    """Every claim of a document that another section could state with another value, with its lookup key."""
    page = comparable_page(document)
    if page is None:
        return
    stated = tuple(blocks(document))
    places: dict[int, ComparableSection | None] = {}
    found: Iterable[tuple[tuple[str, ...], Statement | Default]] = (
        *((_words(statement), statement) for statement in statements(stated)),
        *(((default.name,), default) for default in defaults(stated)),
    )
    for key, what in found:
        if key and what.section not in places:
            places[what.section] = comparable_section(page, document, what.section)
        if key and (place := places[what.section]):
            yield key, _Claim(place, what)


def _words(statement: Statement) -> tuple[str, ...]:
    """The words that matter, whatever their order; none for examples and for what says too little."""
    if not _EXAMPLE.isdisjoint(statement.words):
        return ()
    matter = {_ENDING.sub("", _SAME.get(w, w)) for w in statement.words if w not in _SMALL and _LETTERS.search(w)}
    return (str(len(statement.values)), *sorted(matter)) if len(matter) >= _FEWEST_WORDS - 1 else ()


def _contradiction(group: Sequence[_Claim]) -> tuple[_Claim, _Claim] | None:
    """Two places of a group that cannot both be right, the rarer value first."""
    counts = Counter(one.values for one in group)
    if not 1 < len(counts) <= _MOST_VALUES or len(group) > _MOST_PLACES:
        return None
    pairs = [(one, other) for one, other in combinations(group, 2) if _differ_once(one, other)]
    if any(_are_listed(*pair) for pair in pairs):
        return None
    found = next((pair for pair in pairs if _are_of_one_subject(*pair)), None)
    return found and (found if counts[found[0].values] <= counts[found[1].values] else found[::-1])


def _differ_once(one: _Claim, other: _Claim) -> bool:
    """Whether exactly one value is another."""
    mine, its = one.what, other.what
    if isinstance(mine, Statement) and isinstance(its, Statement) and len(mine.values) > 1 and mine.words != its.words:
        return False  # nobody knows which value is which
    return sum(map(disagree, one.values, other.values)) == 1


def _are_listed(one: _Claim, other: _Claim) -> bool:
    """Whether a section says the same with several values, as lists and tables do; prose and table tell one default."""
    is_stated_twice = isinstance(one.what, Default) and one.what.form is not other.what.form
    return one.place == other.place and not is_stated_twice


def _are_of_one_subject(one: _Claim, other: _Claim) -> bool:
    if different_subjects(one.place, other.place):
        return False
    forms = {one.what.form, other.what.form}
    is_one_page = one.place.page == other.place.page
    if isinstance(one.what, Default) and isinstance(other.what, Default):
        shared = (one.what.words & other.what.words) - _SMALL - _SAID_OF_ALL
        return len(shared) >= _SHARED_WORDS and (len(forms) > 1 or not is_one_page)
    if same_subject(one.place, other.place):
        return True
    if isinstance(one.what, Default) or not (_stands_alone(one.what) and _stands_alone(other.what)):
        return False
    # Sections of a page, and lists and tables anywhere, take their subject from the heading above them.
    return forms == {BlockKind.PARAGRAPH} or (not is_one_page and one.place.trail[-1:] == other.place.trail[-1:])


def _stands_alone(what: Statement | Default) -> bool:
    """Whether a statement can be understood without what stands around it."""
    if isinstance(what, Default):
        return True
    return len(_words(what)) > _FEWEST_WORDS and _LEANING.isdisjoint(what.words[:4]) and not what.shown[0][:1].islower()


def _finding(one: _Claim, other: _Claim) -> Finding:
    other_ref = _ref(other.place)
    here, there = _quote(one, other), _quote(other, one)
    return Finding(
        code=Code.CONTRADICTION,
        ref=_ref(one.place),
        line=one.what.line,
        message=f"{here} here, but {there} in {other.path}:{other.what.line}",
        other=Location(other_ref, other.what.line),
    )


def _ref(place: ComparableSection) -> Ref:
    document = place.page.ref
    return Ref(document.corpus, document.path, place.anchor)


def _quote(one: _Claim, other: _Claim) -> str:
    """The value that differs, with a few words around it."""
    if isinstance(one.what, Default):
        return f"{one.what.name} defaults to “{one.what.value}”"
    spots = [at for at, word in enumerate(one.what.words) if word == VALUE]
    at = next(spot for spot, mine, its in zip(spots, one.values, other.values, strict=True) if disagree(mine, its))
    start, end = max(at - _QUOTED, 0), at + _QUOTED + 1
    words = " ".join(one.what.shown[start:end]).strip(_MARKS)
    return f"“{'… ' * (start > 0)}{words}{' …' * (end < len(one.what.shown))}”"
