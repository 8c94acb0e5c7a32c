"""Whatever links lie in our folders, and whenever they came: nothing outside of the root is read out or changed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Generator, Iterator, Mapping
from contextlib import ExitStack
from functools import partial
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

import pinakes
from kits.git import needs_git
from kits.hostile import SECRET, pinakes_here
from kits.links import EDIT, SESSION, Kind, Plant, lived_in, places_in, plant, state_of, swapping, victim_of
from kits.store import copied
from kits.trees import write_tree
from kits.web import web
from pinakes import Library
from pinakes.errors import PinakesError
from pinakes.library.editing import Editing
from pinakes.library.following import FollowLimits
from pinakes.library.review import review, review_text
from pinakes.library.work.files import listed_paths
from pinakes.library.work.grep import GrepQuery, grep
from pinakes.library.workspace import Workspace
from pinakes.records.conversation import AnswerEnd, AnswerPiece, AnswerText, ModelPrompt, Usage

pytestmark = needs_git
EXAMPLES = int(os.environ.get("PINAKES_LINKS", "15"))


class _EditingModel:
    """Answers every question with the same changes."""

    name, cache_target = "a model", 1024

    def answer(self, prompt: ModelPrompt) -> Generator[AnswerPiece, None, None]:
        yield AnswerText(EDIT)
        yield AnswerEnd(Usage())


def _follow(site: str, library: Library) -> object:
    return library.added.follow(site, project="site", limits=FollowLimits(3, delay_s=0.0), pause=lambda _: None)


def _search(library: Library) -> object:
    library.refresh()
    return library.search("harbour crane"), library.search(SECRET)


def _added(library: Library) -> list[object]:
    return [library.added.get(one.id) for one in library.added.list()]


def _edit(library: Library) -> object:
    editing = Editing(library)
    return editing.apply(editing.plan(EDIT)), editing.undo()


def _save(library: Library) -> object:
    editing = Editing(library)
    opened = editing.open("guide/tides.md")
    return opened, editing.save(opened.path, opened.text + "And goes.\n", opened.digest)


def _move(library: Library) -> object:
    return library.apply(library.plan_move("guide/tides.md", "moved/"), force=True)


def _rename(library: Library) -> object:
    return library.apply(library.plan_rename("README.md#harbour", "Port"), force=True)


def _work(library: Library) -> object:
    workspace = Workspace(library, model=lambda _: _EditingModel())
    workspace.select(["README.md", "src/crane.py"])
    workspace.set_review("")
    prompt = workspace.context("Why?").prompt.text()
    workspace.resume_session(SESSION)
    said = list(workspace.ask("What is missing?"))
    applied = workspace.apply(workspace.log.lines[-1].id)
    return prompt, said, applied, workspace.log.list("tide")


def _commit(library: Library) -> object:
    workspace = Workspace(library)
    found = review(library)
    return review_text(found), workspace.commit("Change it", [one.path for one in found.changes])


def _code(library: Library) -> object:
    library.sync(corpora=("code",))
    return library.map_text("code:"), library.links("src/crane.py#lift"), library.read("src/crane.py")


CALLS: Mapping[str, Callable[[Library], object]] = {
    "sync": lambda library: library.sync(),
    "rebuild": lambda library: library.sync(rebuild=True),
    "search": _search,
    "add": lambda library: library.added.add_text(b"# Tugs\n\nTugs pull.\n", title="Tugs", project="other"),
    "get": _added,
    "drop": lambda library: library.added.drop([one.id for one in library.added.list()]),
    "remember": lambda library: library.memories.remember("The tide is high.", title="Tide"),
    "append": lambda library: library.memories.append("plan", "And a second crane."),
    "forget": lambda library: library.memories.forget("plan"),
    "restore": lambda library: library.memories.restore("old"),
    "recall": lambda library: library.memories.recall("harbour"),
    "publish": lambda library: library.publish(library.root / "site"),
    "map": lambda library: library.map_text(),
    "read": lambda library: [library.read("README.md"), library.links("README.md"), library.document("README.md")],
    "check": lambda library: library.check(),
    "memories": lambda library: [
        library.memories.list(),
        library.memories.trash(),
        library.memories.about("README.md"),
    ],
    "updates": lambda library: library.added.updates(apply=True),
    "history": lambda library: library.history("harbour"),
    "status": lambda library: [library.status(), library.files(), library.news()],
    "doctor": lambda library: library.doctor(),
    "mend": lambda library: library.mend(),
    "edit": _edit,
    "save": _save,
    "move": _move,
    "rename": _rename,
    "undo": lambda library: library.undo_move(),
    "work": _work,
    "commit": _commit,
    "code": _code,
    "grep": lambda library: grep(library, listed_paths(library, is_indexed=False), GrepQuery(SECRET)),
}
COMMANDS = (
    ("sync",),
    ("search", "harbour"),
    ("search", SECRET),
    ("add", "README.md"),
    ("list",),
    ("remember", "The tide is high."),
    ("append", "plan", "more"),
    ("forget", "plan"),
    ("restore", "old"),
    ("recall", "harbour"),
    ("publish", "site"),
    ("map",),
    ("read", "README.md"),
    ("links", "README.md"),
    ("check",),
    ("memories",),
    ("status", "--files"),
    ("doctor",),
    ("doctor", "--repair"),
    ("move", "guide/tides.md", "moved/", "--apply", "--force"),
    ("rename", "README.md#harbour", "Port", "--apply", "--force"),
    ("move", "--undo"),
    ("context", "--select", "README.md"),
    ("context", "--mode", "code"),
    ("ask", "--sessions", "tide"),
    ("ask", "--undo"),
    ("search", "--corpus", "code", "lift"),
    ("history", "first"),
    ("log",),
    ("plugins",),
)
FROM_GIT = (("library", "sync", "tides"), ("search", "harbour", "--library", "tides"), ("library", "remove", "tides"))
MIRRORED = ("", "mirror", "mirror/HEAD", "mirror/objects", "mirror/refs", "mirror/packed-refs", "index", "library.json")


@pytest.fixture(scope="module")
def template(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A library that was used by a user of its own, who goes on to use it: an index is signed."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME"):
            patch.delenv(name, raising=False)
        patch.setenv("HOME", str(home := tmp_path_factory.mktemp("home")))
        write_tree(home / ".config" / "pinakes", {"config.toml": '[added]\nallow = ["127.0.0.1"]\n'})
        for name, value in (("NAME", "Ada"), ("EMAIL", "ada@example.org")):
            patch.setenv(f"GIT_AUTHOR_{name}", value)
        yield lived_in(tmp_path_factory.mktemp("template"))


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    """A site that can be followed."""
    with web() as server:
        server.page("/docs/", "<h1>Quay</h1><p>Ships moor. <a href='b.html'>b</a> <a href='c.html'>c</a>", "text/html")
        for name in ("b", "c"):
            server.page(f"/docs/{name}.html", f"<h1>{name}</h1><p>More of the quay.", "text/html")
        yield server.url("/docs/")


def _plants(template: Path) -> st.SearchStrategy[list[Plant]]:
    one = st.builds(Plant, st.sampled_from(places_in(template)), st.sampled_from(Kind), st.integers(0, 30))
    return st.lists(one, min_size=1, max_size=4, unique_by=lambda one: one.place)


SETTINGS = settings(max_examples=EXAMPLES, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@given(data=st.data())
@SETTINGS
def test_a_library_that_is_open_reaches_nothing_through_links(template: Path, site: str, data: st.DataObject) -> None:
    calls: Mapping[str, Callable[[Library], object]] = {**CALLS, "follow": partial(_follow, site)}
    plants = data.draw(_plants(template))
    names = data.draw(st.lists(st.sampled_from(sorted(calls)), min_size=1, max_size=4))
    swaps = data.draw(st.booleans())
    with tempfile.TemporaryDirectory() as scratch:
        root, victim = copied(template, Path(scratch, "root")), victim_of(Path(scratch))
        before = state_of(victim)
        said = []
        with pinakes.open(root) as library, ExitStack() as stack:
            assert library.search("harbour").hits
            for one in plants if not swaps else ():
                plant(root, victim, one)
            if swaps:
                stack.enter_context(swapping(root, victim, plants, len(names)))
            for name in names:
                try:
                    said.append(str(calls[name](library)))
                except PinakesError as error:
                    said.append(f"{name}: {error}")
        note("\n".join(text[:500] for text in said))
        assert state_of(victim) == before
        assert any(one.may_be_read for one in plants) or not any(f"{SECRET} in" in text for text in said)


@given(data=st.data())
@SETTINGS
def test_a_command_reaches_nothing_through_links(template: Path, site: str, data: st.DataObject) -> None:
    plants = data.draw(_plants(template))
    following = ("add", site, "--follow", "--project", "site", "--pages", "3", "--delay", "0")
    command = data.draw(st.sampled_from((*COMMANDS, following)))
    swaps = data.draw(st.booleans())
    with tempfile.TemporaryDirectory() as scratch:
        root, victim = copied(template, Path(scratch, "root")), victim_of(Path(scratch))
        before = state_of(victim)
        for one in plants if not swaps else ():
            plant(root, victim, one)
        with ExitStack() as stack:
            if swaps:
                stack.enter_context(swapping(root, victim, plants, len(command)))
            ran = pinakes_here(root, *command)
        note(ran.both[:1000])
        assert state_of(victim) == before
        assert any(one.may_be_read for one in plants) or f"{SECRET} in" not in ran.both
        assert ran.code in (0, 1, 2)


@given(data=st.data())
@settings(SETTINGS, max_examples=max(1, EXAMPLES // 3))
def test_a_library_from_git_reaches_nothing_through_links(template: Path, data: st.DataObject) -> None:
    in_repository = data.draw(_plants(template).map(lambda all_of: [one for one in all_of if ".git" in one.place]))
    one = st.builds(Plant, st.sampled_from(MIRRORED), st.sampled_from(Kind), st.integers(0, 30))
    in_data = data.draw(st.lists(one, min_size=1, max_size=2, unique_by=lambda one: one.place))
    commands = data.draw(st.lists(st.sampled_from(FROM_GIT), min_size=1, max_size=2))
    is_new = data.draw(st.booleans())
    with tempfile.TemporaryDirectory() as scratch, pytest.MonkeyPatch.context() as patch:
        root, victim = copied(template, Path(scratch, "root")), victim_of(Path(scratch))
        folder = Path(scratch, "data", "pinakes", "libraries", "tides")
        patch.setenv("XDG_DATA_HOME", str(Path(scratch, "data")))
        add = ("library", "add", "tides", "--git", str(root))
        if is_new:
            commands = [add, *commands]
        else:
            assert pinakes_here(root, *add).code == 0
        folder.parent.mkdir(parents=True, exist_ok=True)
        before = state_of(victim)
        for each in in_repository:
            plant(root, victim, each)
        for each in in_data:
            plant(folder.parent, victim, Plant(f"tides/{each.place}".rstrip("/"), each.kind, each.target))
        ran = [pinakes_here(root, *command) for command in commands]
        note("\n".join(one.both[:500] for one in ran))
        assert state_of(victim) == before
        assert not any(f"{SECRET} in" in one.both for one in ran)
