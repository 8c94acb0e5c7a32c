"""Short names of folders: they save tokens, they spell out again, and edits leave them alone."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from urllib.parse import unquote_to_bytes

from hypothesis import given
from hypothesis import strategies as st

from outline.outlines import PATHS
from pinakes.outline.paths import FolderCalls, Paths, files_below, folder_of, printed, short_names, upward
from pinakes.records import DOCS, Ref
from pinakes.tokens import count_tokens

LONG = "content/administering-your-instance/reference"


def targets(*paths: str) -> Paths:
    """The names that printed links to these files lead to."""
    return short_names(files_below(paths))


def test_a_folder_that_many_links_lead_to_gets_a_name_explained_once() -> None:
    paths = targets(*(f"{LONG}/{n}.md" for n in range(9)))
    assert paths.table() == [f"@reference/ = {LONG}/"]
    assert paths.target(Ref(DOCS, f"{LONG}/3.md"), "", DOCS) == "@reference/3.md"


def test_a_folder_that_few_links_lead_to_keeps_its_name() -> None:
    assert targets(f"{LONG}/1.md", f"{LONG}/2.md").table() == []


def test_folders_that_share_their_last_part_are_told_apart_by_the_one_before() -> None:
    long = "content/some-very-long-folder-name/of-many-parts"
    paths = targets(*(f"{long}/{part}/reference/{n}.md" for part in ("api", "cli") for n in range(20)))
    printed = {paths.target(Ref(DOCS, f"{long}/{part}/reference/1.md"), "", DOCS) for part in ("api", "cli")}
    assert len(printed) == 2


def test_names_depend_on_powers_of_two_and_not_on_one_link_more() -> None:
    files = [f"{LONG}/{n}.md" for n in range(9)]
    assert targets(*files).table() == targets(*files, f"{LONG}/new.md").table()


@given(st.lists(PATHS, min_size=1, max_size=40, unique=True), st.data())
def test_every_path_spells_out_again(files: list[str], data: st.DataObject) -> None:
    below = files_below(files)
    for paths in (short_names(below), short_names(dict.fromkeys(below, 1 << 20))):
        origin, target = data.draw(st.sampled_from(files)), data.draw(st.sampled_from(files))
        folder = folder_of(origin)
        assert spelled_out(paths.target(Ref(DOCS, target, "x"), folder, DOCS), paths.table(), folder) == target


def spelled_out(printed: str, table: list[str], folder: str = "") -> str:
    """The path behind a printed one, as a reader finds it: by the table, and in `folder` where only a name stands."""
    printed = printed.partition("#")[0]
    if "/" not in printed:
        return f"{folder}/{_decoded(printed)}" if folder else _decoded(printed)
    name, _, rest = printed.partition("/")
    folders = dict(line.split("/ = ", 1) for line in table)
    return _decoded(f"{folders[name]}{rest}" if name.startswith("@") else printed.removeprefix("/"))


def _decoded(text: str) -> str:
    return os.fsdecode(unquote_to_bytes(text.encode("utf-8", "surrogateescape")))


@given(st.lists(PATHS, min_size=1, max_size=40, unique=True))
def test_a_name_is_given_only_where_it_is_shorter(files: list[str]) -> None:
    for folder, name in targets(*files).names.items():
        assert count_tokens(f"{name}/") < count_tokens(f"{folder}/")


@given(st.lists(PATHS, max_size=40, unique=True), st.lists(PATHS, max_size=9, unique=True))
def test_files_and_calls_of_folders_are_what_counting_each_way_up_gives(files: list[str], more: list[str]) -> None:
    below = Counter(folder for path in files for folder in upward(folder_of(path)))
    assert files_below(files) == below
    others = {folder for path in more for folder in upward(folder_of(path))}
    calls = {folder: list(suffixes(folder)) for folder in {*below, *others}}
    uses = Counter(call for folder, found in calls.items() if folder for call in found)
    known = FolderCalls(below)
    for folder in others - {""}:
        assert known.unique(folder, others) == next((call for call in calls[folder] if uses[call] == 1), "")


def suffixes(folder: str) -> Iterator[str]:
    """Everything a folder can be called by, the shortest first."""
    parts = printed(folder).split("/")
    return (".".join(parts[place:]) for place in range(len(parts) - 1, -1, -1))
