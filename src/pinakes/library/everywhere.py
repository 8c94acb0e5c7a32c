"""One question to several libraries: one list of hits, each with the name of its library.

Libraries by name enter, each as a way to open it, with what is asked of each; one answer leaves. Scores of two
libraries share no scale, so hits are weighed as those of two corpora are: by how much it is believed that their library
answers at all. A library that fails is named in the answer, and the others answer.

Up to `FEW` libraries are all asked. Of more, and unless the profile is thorough, those that promise most are asked
first, until no other can promise a hit among the first: what each promises costs a small part of a search.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager

from msgspec.structs import replace

from pinakes.errors import BadAddress, NotFound, PinakesError
from pinakes.library.library import Library
from pinakes.records import Hit, LibraryHit, Query, Results, Stage
from pinakes.search import known_elsewhere, merge_results, partial_results, promises, weighed_scores

EVERY = "*"
"""In place of a library's name: all there are."""
FEW = 8
_LEAST_ASKED, _MOST_ASKED = 3, 8
_BEST_HIT = 1.3
"""The most that the best hit of a library scores, but for how much the library is believed."""
THOROUGH = "thorough"
"""The profile that asks all libraries."""
_ADD = "pinakes library add NAME --git URL makes one."
Opener = Callable[[], AbstractContextManager[Library]]


def search_libraries(libraries: Mapping[str, Opener], ask: Callable[[Library], Query]) -> Results:
    """The best hits of all. What is wrong with one is among what is missing; it is raised when it is wrong with all."""
    asked = _Asked(ask)
    with ExitStack() as stack:
        opened: dict[str, Library] = {}
        for name, opener in libraries.items():
            with asked.noting(name):
                library = stack.enter_context(opener())
                stack.enter_context(library.one_state())
                opened[name] = library
        for name, promise in _by_promise(opened, asked) if len(opened) > FEW else dict.fromkeys(opened, 1.0).items():
            if len(opened) > FEW and asked.has_enough(promise):
                break
            asked.answer(name, opened[name])
        if known := known_elsewhere([*asked.answers.values()]):
            # A word that one of them knows is not replaced in the others.
            for name, found in tuple(asked.answers.items()):
                if not found.corrections.keys().isdisjoint(known):
                    asked.answer(name, opened[name], known)
    return asked.results(len(opened))


def _by_promise(opened: Mapping[str, Library], asked: _Asked) -> Iterator[tuple[str, float]]:
    """Each library with what it promises, the most first. One that was never asked promises everything: what it could
    be compared by is made by its first question."""
    queries = asked.queries(opened)
    tools = {name: opened[name].last_tools(query.where) for name, query in queries.items()}
    flat = [(name, one) for name, several in tools.items() for one in several]
    found = dict.fromkeys((name for name, several in tools.items() if not several), 1.0)
    if flat:
        query = next(iter(queries.values()))
        for (name, _), promise in zip(flat, promises(query, [one for _, one in flat]), strict=True):
            found[name] = max(found.get(name, 0.0), promise)
    if any(query.profile == THOROUGH for query in queries.values()):
        found = dict.fromkeys(found, 1.0)
    yield from sorted(found.items(), key=lambda pair: -pair[1])


def library_in(names: Iterable[str], address: str) -> tuple[str, str]:
    """The library that stands before an address, as answers of all libraries print it, and the address there; raises
    `NotFound`."""
    known = sorted(names)
    found = max((name for name in known if address.startswith(f"{name}:")), key=len, default="")
    if not found:
        some = f"There are {', '.join(known[:8])}{' and others' if len(known) > 8 else ''}." if known else _ADD
        raise NotFound(f"No library is named before “{address}”.", f"Write NAME:ADDRESS. {some}")
    return found, address[len(found) + 1 :]


class _Asked:
    """The libraries that were asked so far, and what they answered."""

    def __init__(self, ask: Callable[[Library], Query]) -> None:
        self._ask = ask
        self.answers: dict[str, Results] = {}
        self._troubles: dict[str, PinakesError | OSError] = {}

    @contextmanager
    def noting(self, name: str) -> Iterator[None]:
        """What is wrong with a library keeps no other from answering."""
        try:
            yield
        except (PinakesError, OSError) as error:
            self._troubles[name] = error

    def queries(self, opened: Mapping[str, Library]) -> dict[str, Query]:
        """What each library is asked."""
        found: dict[str, Query] = {}
        for name, library in opened.items():
            with self.noting(name):
                found[name] = self._ask(library)
        return found

    def answer(self, name: str, library: Library, known: tuple[str, ...] = ()) -> None:
        """Ask one; no other spelling is searched for `known` words."""
        with self.noting(name):
            query = self._ask(library)
            self.answers[name] = library.search(replace(query, as_spelled=known) if known else query)

    def has_enough(self, promise: float) -> bool:
        """Whether no library that promises so much can have a hit among the first."""
        found = [*self.answers.values()]
        if len(found) < _LEAST_ASKED or promise >= 1.0:
            return False
        scores = sorted((score for one in found for score in weighed_scores(one)), reverse=True)
        limit = found[0].query.limit
        return len(found) >= _MOST_ASKED or (len(scores) >= limit and scores[limit - 1] > _BEST_HIT * promise)

    def results(self, libraries: int) -> Results:
        """The best of all answers."""
        if not self.answers:
            raise next(iter(self._troubles.values()), None) or NotFound("There is no library to ask.", _ADD)
        # Where an address is asked for, most libraries do not have it: that is no trouble.
        troubles = {name: one for name, one in self._troubles.items() if not isinstance(one, NotFound | BadAddress)}
        found = merge_libraries(self.answers)
        told = Stage("libraries", libraries, len(self.answers), 0.0, "those that promise most")
        found = replace(found, stages=(told, *found.stages)) if len(self.answers) < libraries else found
        return partial_results(found, [f"{name}: {one}" for name, one in troubles.items()]) if troubles else found


def merge_libraries(answers: Mapping[str, Results]) -> Results:
    """The answers of several libraries as one."""
    named = {name: replace(found, hits=_named(name, found), folders=()) for name, found in answers.items()}
    merged = merge_results(next(iter(named.values())).query, [*named.values()])
    if merged.abstained:
        nearest = next(name for name, found in named.items() if found.abstained == merged.abstained)
        merged = replace(merged, abstained=f"The nearest library is {nearest}. {merged.abstained}")
    missing = [f"{name}: {part}" for name, found in named.items() for part in found.missing]
    return replace(merged, missing=tuple(missing), stages=tuple(map(_account, named, named.values())))


def _named(name: str, found: Results) -> tuple[LibraryHit, ...]:
    fields = Hit.__struct_fields__
    return tuple(LibraryHit(**{field: getattr(hit, field) for field in fields}, library=name) for hit in found.hits)


def _account(name: str, found: Results) -> Stage:
    """What asking a library came to."""
    belief = f"believed {found.evidence.belief:.2f}" if found.evidence else ""
    came_in = max((stage.came_in for stage in found.stages), default=0)
    return Stage(name, came_in, len(found.hits), sum(stage.seconds for stage in found.stages), belief)
