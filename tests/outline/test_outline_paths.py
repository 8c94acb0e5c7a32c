"""Short names of folders: they save tokens, they spell out again, and edits leave them alone."""

from __future__ import annotations

import os
from urllib.parse import unquote_to_bytes

from hypothesis import given
from hypothesis import strategies as st

from outline.outlines import PATHS
from pinakes.outline.paths import files_below, folder_of, short_names, shorten
from pinakes.records import DOCS, Ref
from pinakes.tokens import count_tokens

LONG = "content/administering-your-instance/reference"


def test_a_folder_that_many_files_share_gets_a_name_explained_once() -> None:
    below = files_below([f"{LONG}/{n}.md" for n in range(9)])
    paths = shorten(below, short_names(below))
    assert paths.table() == [f"@reference/ = {LONG}/"]
    assert paths.file(f"{LONG}/3.md") == "@reference/3.md"


def test_a_folder_with_few_files_keeps_its_name() -> None:
    below = files_below([f"{LONG}/1.md", f"{LONG}/2.md"])
    assert shorten(below, short_names(below)).table() == []


def test_folders_that_share_their_last_part_are_told_apart_by_the_one_before() -> None:
    below = files_below(
        f"content/some-long-folder/{part}/reference/{n}.md" for part in ("api", "cli") for n in range(20)
    )
    assert {"@api.reference", "@cli.reference"} <= set(short_names(below).values())


def test_names_depend_on_folders_and_never_on_one_file_more() -> None:
    files = [f"{LONG}/{n}.md" for n in range(9)]
    before, after = files_below(files), files_below([*files, f"{LONG}/new.md"])
    assert shorten(before, short_names(before)).table() == shorten(after, short_names(after)).table()


@given(st.lists(PATHS, min_size=1, max_size=40, unique=True), st.data())
def test_every_path_spells_out_again(files: list[str], data: st.DataObject) -> None:
    below = files_below(files)
    names = short_names(below)
    for paths in (shorten(below, names), shorten({folder: 1 << 20 for folder in below}, names)):
        for path in files:
            assert spelled_out(paths.file(path), paths.table()) == path
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
    below = files_below(files)
    for folder, name in shorten(below, short_names(below)).names.items():
        assert count_tokens(f"{name}/") < count_tokens(f"{folder}/")
