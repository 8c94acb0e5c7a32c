"""What a library promises, from outside: real folders, a real index, the words of the command line."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from pinakes.errors import BadAddress, NotFound, StoreDamaged
from pinakes.records import DOCS, Event, FileState, Phase, Query, Ref

INSTALL = "## Install\n\nRun the installer from `tools/setup.sh` and wait for it to finish.\n\n"
TREE = {
    "README.md": "# Home\n\nStart with the [guide](guide/start.md#install).\n",
    "guide/start.md": f"# Start\n\n{INSTALL}## Use\n",
    "tools/setup.sh": "echo hello\n",
    "notes.txt": "Plain notes\n\nwith https://example.org/ in them.\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    root = write_tree(tmp_path / "docs", TREE)
    for path in TREE:
        os.utime(root / path, ns=(10**18, 10**18))  # old enough for its time to be trusted
    return root


def test_a_sync_reports_what_it_read_moved_dropped_and_left(folder: Path) -> None:
    with pinakes.open(folder) as library:
        first = library.sync()
        assert [ref.path for ref in first.put] == ["README.md", "guide/start.md", "notes.txt"]
        (folder / "guide/start.md").rename(folder / "guide/begin.md")
        (folder / "notes.txt").unlink()
        (folder / "new.md").write_text("# New\n")
        second = library.sync()
    assert second.moved == ((Ref(DOCS, "guide/start.md"), Ref(DOCS, "guide/begin.md")),)
    assert [ref.path for ref in second.put] == ["new.md"]
    assert [ref.path for ref in second.dropped] == ["notes.txt"]
    assert second.unchanged == 1


def test_a_moved_document_keeps_its_keywords(folder: Path) -> None:
    with pinakes.open(folder) as library:
        library.sync()
        (folder / "guide/start.md").rename(folder / "guide/begin.md")
        phases: list[Event] = []
        library.sync(progress=phases.append)
        assert Phase.KEYWORDS not in {event.phase for event in phases}
        assert "## Install (" in library.map("guide").text()


def test_a_file_that_becomes_unreadable_keeps_its_last_good_version(folder: Path) -> None:
    with pinakes.open(folder, {"sources.max_file_bytes": 200}) as library:
        library.sync()
        (folder / "notes.txt").write_text("x" * 300)
        report = library.sync()
        assert [(failure.ref.path, "200" in failure.reason) for failure in report.failed] == [("notes.txt", True)]
        assert library.read("notes.txt").text.startswith("Plain notes")
        assert library.files(["notes.txt"])[0].state is FileState.FAILED
        (folder / "notes.txt").write_text("Small again\n")
        assert library.sync().failed == ()
        assert library.read("notes.txt").text == "Small again\n"


def test_a_raised_limit_tries_failed_files_again(folder: Path) -> None:
    (folder / "long.md").write_text("# Long\n" * 100)
    with pinakes.open(folder, {"sources.max_file_bytes": 300}) as library:
        assert [failure.ref.path for failure in library.sync().failed] == ["long.md"]
    with pinakes.open(folder) as library:
        assert [ref.path for ref in library.sync().put] == ["long.md"]


def test_a_link_to_a_file_too_large_to_read_is_not_broken(folder: Path) -> None:
    (folder / "long.md").write_text("# Long\n" * 100)
    (folder / "new.md").write_text("See [it](long.md) and [home](README.md).\n")
    with pinakes.open(folder, {"sources.max_file_bytes": 300}) as library:
        library.sync()
        assert [found.message for found in library.check() if found.severity == "error"] == []


def test_a_keyword_option_makes_keywords_again_and_reads_nothing(folder: Path) -> None:
    with pinakes.open(folder) as library:
        library.sync()
    with pinakes.open(folder, {"keywords.top_n": 1}) as library:
        events: list[Event] = []
        report = library.sync(progress=events.append)
        assert report.put == ()
        assert {event.phase for event in events} >= {Phase.SCANNING, Phase.KEYWORDS}
        assert Phase.READING not in {event.phase for event in events}


def test_without_keywords_the_map_says_so(folder: Path) -> None:
    with pinakes.open(folder, {"keywords.enabled": False}) as library:
        library.sync()
        assert "keywords: off" in library.map().text()
        assert library.status().keywords == "off"
    with pinakes.open(folder) as library:  # whose documents were never counted
        count = library.status().counts.documents
        assert library.status().keywords == f"0 of {count} documents have them; pinakes sync makes the rest"


def test_an_edit_with_the_same_size_and_time_is_found(folder: Path) -> None:
    page = folder / "notes.txt"
    os.utime(page, ns=(10**18, 10**18))
    with pinakes.open(folder) as library:
        library.sync()
        page.write_text(page.read_text().replace("Plain", "Grand"))
        os.utime(page, ns=(10**18, 10**18))
        assert [ref.path for ref in library.sync().put] == ["notes.txt"]
        assert library.read("notes.txt").text.startswith("Grand")


@pytest.mark.parametrize(
    ("address", "text"),
    [
        ("guide/start.md#install", INSTALL),
        ("docs:guide/start.md#install", INSTALL),
        ("guide/start#Install", INSTALL),
        ("start.md:1", "# Start\n"),
        ("guide/start.md:3-4", "## Install\n\n"),
        ("guide/start.md:7-99", "## Use\n"),
        ("notes.txt:3", "with https://example.org/ in them.\n"),
        ("readme.md", TREE["README.md"]),
    ],
)
def test_an_address_is_read_verbatim(folder: Path, address: str, text: str) -> None:
    with pinakes.open(folder) as library:
        library.sync()
        found = library.read(address)
        assert found.text == text
        source = (folder / found.ref.path).read_bytes()
        assert source[found.span.start : found.span.end].decode() == text


@pytest.mark.parametrize(
    ("address", "error", "hint"),
    [
        ("guide/strat.md", NotFound, "guide/start.md"),
        ("guide/start.md#instal", NotFound, "install"),
        ("guide/start.md:99", NotFound, "lines 1 to 7"),
        ("tools/setup.sh", NotFound, "Only Markdown"),
        ("../outside.md", NotFound, "status --files"),
        ("", BadAddress, "path#anchor"),
        ("#install", BadAddress, "path#anchor"),
    ],
)
def test_an_address_that_leads_nowhere_is_answered_with_a_next_step(
    folder: Path, address: str, error: type[Exception], hint: str
) -> None:
    with pinakes.open(folder) as library:
        library.sync()
        with pytest.raises(error, match=hint.replace("#", ".")):
            library.read(address)


def test_links_show_both_directions(folder: Path) -> None:
    with pinakes.open(folder) as library:
        library.sync()
        section = library.links("guide/start.md#install")
        assert [str(edge.to) for edge in section.outgoing] == ["docs:tools/setup.sh"]
        assert [str(edge.origin) for edge in section.incoming] == ["docs:README.md#home"]


def test_a_map_can_be_focused_and_compared_with_an_earlier_one(folder: Path) -> None:
    with pinakes.open(folder) as library:
        library.sync()
        first = library.map()
        assert library.map(since=first.hash).blocks == ()
        (folder / "new.md").write_text("# New\n")
        library.sync()
        changed = library.map(since=first.hash)
        assert [block.id for block in changed.blocks] == ["new.md"]
        with pytest.raises(NotFound, match="hash"):
            library.map(since="../../etc")
        small = pinakes.MapRequest(budget_tokens=60)
        assert "notes.txt" in library.map("", small, focus="notes.txt").text()


def test_a_damaged_index_is_noticed_and_a_rebuild_starts_anew(folder: Path) -> None:
    with pinakes.open(folder) as library:
        library.sync()
    database = folder / ".pinakes" / "library.db"
    database.write_bytes(database.read_bytes()[: 3 * 4096])
    with pinakes.open(folder) as library:
        with pytest.raises(StoreDamaged, match="pinakes"):
            library.map()
        assert [found.topic for found in library.doctor() if not found.is_sound] == ["index"]
        assert len(library.sync(rebuild=True).put) == 3
        assert all(found.is_sound for found in library.doctor())


def test_every_file_is_accounted_for(folder: Path) -> None:
    write_tree(folder, {".pinakesignore": "drafts/\n", "drafts/plan.md": "# Plan\n", ".hidden.md": "# Hidden\n"})
    with pinakes.open(folder) as library:
        library.sync()
        states = {file.path: file.state for file in library.files()}
        assert states["guide/start.md"] is FileState.INDEXED
        assert states["tools/setup.sh"] is FileState.ASSET
        assert states["drafts/"] is FileState.LEFT_OUT
        assert "drafts/plan.md" not in states
        assert ".pinakesignore" in library.files(["drafts/plan.md"])[0].reason


def test_importing_the_package_and_its_help_load_no_numerics() -> None:
    program = (
        "import sys, pinakes.serve.cli.questions, pinakes.library;"
        "print(sorted({'numpy', 'yaml', 'tokenizers'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_folder_that_was_never_indexed_is_not_served_as_an_empty_library(folder: Path) -> None:
    with pinakes.open(folder) as library:
        for ask in (library.status, library.check, library.map, library.files):
            with pytest.raises(NotFound, match="pinakes sync"):
                ask()
    assert not (folder / ".pinakes").exists()


def test_a_library_without_documents_says_so(tmp_path: Path) -> None:
    with pinakes.open(tmp_path) as library:
        library.sync()
        for ask in (library.check, library.map):
            with pytest.raises(NotFound, match="no documents"):
                ask()


def test_a_question_as_focus_keeps_what_answers_it(tmp_path: Path) -> None:
    pages = {f"part{number}.md": f"# Part {number}\n\nOther things.\n" for number in range(40)}
    secret = "# Sessions\n\n## Renewal\n\nHow tokens expire and are renewed.\n"
    with pinakes.open(write_tree(tmp_path, {**pages, "guide/[1]/z.md": secret})) as library:
        library.sync()
        small = pinakes.MapRequest(budget_tokens=120)
        assert "## Renewal" not in library.map("", small).text()
        assert "## Renewal" in library.map("", small, focus="when do tokens expire?").text()
        drawn = library.map("guide/[1]", small, focus="when do tokens expire?")
        assert not any(note.startswith("focus") for note in drawn.notes)


def test_a_focus_on_nothing_is_said(folder: Path) -> None:
    with pinakes.open(folder) as library:
        library.sync()
        assert "focus: nothing here is about quantum zebra" in library.map(focus="quantum zebra").text()


@pytest.mark.parametrize("address", [".env", "docs/.secret/a.md", ".git/config", "./.env"])
def test_hidden_files_have_no_address(tmp_path: Path, address: str) -> None:
    root = write_tree(tmp_path, {"a.md": "# A\n\n[env](.env)\n", ".env": "KEY=1\n", "docs/.secret/a.md": "# S\n"})
    with pinakes.open(root) as library:
        library.sync()
        for ask in (library.read, library.links, library.locate):
            with pytest.raises(NotFound):
                ask(address)


def test_a_closed_library_has_no_file_open(folder: Path) -> None:
    maps = Path("/proc/self/maps")
    if not maps.exists():
        pytest.skip("open files cannot be listed here")
    gc.disable()  # whoever waits for it keeps removed files on the disk
    try:
        with pinakes.open(folder) as library:
            library.sync()
            assert library.search(Query("plain")).hits
            assert ".pinakes" in maps.read_text()
        opened = [os.readlink(one) for one in Path("/proc/self/fd").iterdir() if one.is_symlink()]
        assert [one for one in [*opened, *maps.read_text().splitlines()] if str(folder) in one] == []
    finally:
        gc.enable()
