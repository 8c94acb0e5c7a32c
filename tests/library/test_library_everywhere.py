"""One question to several libraries: one list, each hit with its library, and a library that fails stops no other."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from itertools import count
from pathlib import Path

import pytest
from click.testing import CliRunner

import pinakes
from kits.git import Repo, needs_git
from kits.http import serving
from kits.store import migrated_database
from kits.trees import write_tree
from pinakes.errors import NotFound, StoreError
from pinakes.library import Library, everywhere
from pinakes.library.everywhere import Opener, search_libraries
from pinakes.records import LibraryHit, Query, Results
from pinakes.render import object_of
from pinakes.serve.cli import commands

TIDES = {"tides.md": "# Tides\n\nHigh water comes twice a day.\n", "same.md": "# Same\n\nBoth have this page.\n"}
CLOCKS = {"clocks.md": "# Clocks\n\nThe clock on the tower strikes at noon.\n", "same.md": TIDES["same.md"]}
NUMBERS = count()


@contextmanager
def failing() -> Iterator[Library]:
    raise StoreError("The database of ships is away.", "Start it.")
    yield


@pytest.fixture(params=["folders", "a database"])
def libraries(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[dict[str, Library]]:
    kept = {"store": migrated_database().url} if request.param == "a database" else {}
    found = {}
    for name, tree in (("sea", TIDES), ("town", CLOCKS)):
        found[name] = pinakes.open(write_tree(tmp_path / f"{name}{next(NUMBERS)}", tree), kept)
        found[name].sync()
    yield found
    for one in found.values():
        one.close()


def asked(libraries: dict[str, Library], text: str, **more: object) -> Results:
    def opener(one: Library) -> Opener:
        return lambda: nullcontext(one)

    ways = {name: opener(one) for name, one in libraries.items()}
    return search_libraries(ways, lambda library: Query(text, **more))  # type: ignore[arg-type]


def homes(found: Results) -> list[tuple[str, str]]:
    return [(hit.library, hit.ref.path) for hit in found.hits if isinstance(hit, LibraryHit)]


def test_each_hit_says_its_library_and_the_best_comes_first(libraries: dict[str, Library]) -> None:
    assert homes(asked(libraries, "when is high water"))[0] == ("sea", "tides.md")
    assert homes(asked(libraries, "when does the clock strike"))[0] == ("town", "clocks.md")
    assert {*homes(asked(libraries, "both have this page"))} >= {("sea", "same.md"), ("town", "same.md")}
    hit = asked(libraries, "when is high water").hits[0]
    assert object_of(hit)["library"] == "sea"


def test_pages_of_two_libraries_are_two_pages(libraries: dict[str, Library]) -> None:
    found = asked(libraries, "both have this page", group=True)
    assert {len(page) for page in found.pages()} == {1}


def test_a_word_that_one_library_knows_is_not_replaced_in_another(libraries: dict[str, Library]) -> None:
    assert not asked(libraries, "clocks tower").corrections
    assert asked(libraries, "the clokc stirkes").corrections == {"clokc": "clock", "stirkes": "strikes"}


def test_a_library_that_fails_is_named_and_the_others_answer(libraries: dict[str, Library]) -> None:
    ways: dict[str, Opener] = {"ships": failing, "sea": lambda: nullcontext(libraries["sea"])}
    found = search_libraries(ways, lambda library: Query("when is high water"))
    assert homes(found)[0] == ("sea", "tides.md")
    assert found.missing == ("ships: The database of ships is away. Start it.",)
    with pytest.raises(StoreError, match="ships is away"):
        search_libraries({"ships": failing}, lambda library: Query("when is high water"))
    with pytest.raises(NotFound, match="no library"):
        search_libraries({}, lambda library: Query("when is high water"))


def test_what_no_library_answers_is_said_with_the_nearest(libraries: dict[str, Library]) -> None:
    found = asked(libraries, "almond croissants of the quarterly bakery")
    assert not found.hits
    assert found.abstained.startswith("The nearest library is ")
    assert "croissants" in found.unknown


@needs_git
def test_the_command_asks_all_libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))

    def said(*words: str) -> tuple[int, str]:
        done = CliRunner().invoke(commands, words)
        return done.exit_code, done.output

    assert said("search", "tides", "--library", "*")[0] == 1
    for name, tree in (("sea", TIDES), ("town", CLOCKS)):
        repo = Repo(tmp_path / f"{name}.git")
        repo.commit("one", tree)
        assert said("library", "add", name, "--git", str(repo.folder))[0] == 0
    code, text = said("search", "when is high water", "--library", "*")
    assert code == 0
    assert text.startswith("1. sea:tides.md:1-3 ")
    assert '"library":"town"' in said("search", "the clock strikes", "--library", "*", "--json")[1]
    assert said("search", "almond croissants", "--library", "*")[0] == 1
    code, text = said("read", "sea:docs:tides.md:3", "--library", "*", "--plain")
    assert (code, text) == (0, "High water comes twice a day.\n")
    assert said("links", "town:clocks.md", "--library", "*")[0] == 1  # it has none
    code, text = said("read", "tides.md", "--library", "*")
    assert code == 1
    assert "No library is named before “tides.md”. Write NAME:ADDRESS. There are sea, town." in text
    code, text = said("map", "--library", "*")
    assert code == 2
    assert "Only search asks all libraries" in text
    assert "Give one of them" in said("search", "tides", "--library", "*", "--root", str(tmp_path))[1]


def test_the_server_asks_all_libraries(tmp_path: Path) -> None:
    roots = [write_tree(tmp_path / name, tree) for name, tree in (("sea", TIDES), ("town", CLOCKS))]
    with serving(*roots) as server:
        found = server.get("/search", query="when does the clock strike", library="*").json
        assert (found["hits"][0]["library"], found["hits"][0]["path"]) == ("town", "clocks.md")
        assert server.get("/read", address="clocks.md", library="*").status == 404
        assert server.get("/read", address="town:clocks.md", library="*").json["title"] == "Clocks"
        assert server.get("/links", address="sea:tides.md", library="*").status == 200


def test_of_many_libraries_those_that_promise_most_are_asked(
    libraries: dict[str, Library], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(everywhere, "FEW", 1)
    monkeypatch.setattr(everywhere, "_LEAST_ASKED", 1)
    first = asked(libraries, "when is high water", limit=1)
    assert {stage.name for stage in first.stages} == {"sea", "town"}  # nothing is known of a library before
    for text, home in (("when is high water", "sea"), ("when does the clock strike noon", "town")):
        found = asked(libraries, text, limit=1)
        assert [stage.name for stage in found.stages] == ["libraries", home]
        assert (found.stages[0].came_in, found.stages[0].went_out) == (2, 1)
        assert homes(found)[0][0] == home
    thorough = asked(libraries, "when is high water", limit=1, profile="thorough")
    assert {stage.name for stage in thorough.stages} == {"sea", "town"}
