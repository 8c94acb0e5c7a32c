"""Files that somebody names: what is taken in, and what is refused by its name with nothing stored."""

from __future__ import annotations

import os
import socket
from pathlib import Path

import pytest

from pinakes.added import AddedOptions
from pinakes.added.added_files import AddedSource
from pinakes.errors import BadAddress, NotFound, PinakesError, Refused, StoreError, Unfit
from pinakes.library.added import Added
from pinakes.own_folder import OwnFolder
from pinakes.records.added import Became, TextType


@pytest.fixture
def added(tmp_path: Path) -> Added:
    return Added(OwnFolder(tmp_path / "store" / "added", 2), AddedOptions())


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A folder of things that are no documents."""
    folder = tmp_path / "odd"
    folder.mkdir()
    (folder / "folder").mkdir()
    (folder / "empty.md").write_bytes(b"")
    (folder / "blank.md").write_bytes(b" \n\t\n\xef\xbb\xbf"[:4])
    (folder / "frontmatter.md").write_bytes(b"---\ntitle: Nothing else\n---\n")
    (folder / "mark.txt").write_bytes(b"\xef\xbb\xbf")
    (folder / "picture.md").write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
    (folder / "paper.pdf").write_bytes(b"%PDF-1.7\n words\n")
    (folder / "zip.txt").write_bytes(b"PK\x03\x04words")
    (folder / "nul.txt").write_bytes(b"words and\0more")
    (folder / "control.txt").write_bytes(b"\x01\x02a\x03\x04b" * 100)
    (folder / "hollow.html").write_bytes(b"<html><head><title>T</title></head><body><script>x</script></body></html>")
    with (folder / "large.md").open("wb") as file:
        file.truncate(3_000_000_000)
    os.mkfifo(folder / "pipe.md")
    (folder / "loop.md").symlink_to("loop.md")
    (folder / "nowhere.md").symlink_to("no-such-file.md")
    (folder / "zero.md").symlink_to("/dev/zero")
    (folder / "to-pipe.md").symlink_to("pipe.md")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(folder / "socket.md"))
    return folder


NAMES = (
    *("folder", "empty.md", "blank.md", "frontmatter.md", "mark.txt", "picture.md", "paper.pdf", "zip.txt", "nul.txt"),
    *("control.txt", "hollow.html", "large.md", "pipe.md", "loop.md", "nowhere.md", "zero.md", "to-pipe.md"),
    *("socket.md", "missing.md", "empty.md/below"),
)


@pytest.mark.parametrize("name", NAMES)
def test_what_is_no_document_is_refused_by_its_name(name: str, odd: Path, added: Added) -> None:
    with pytest.raises((Unfit, NotFound), match=name):
        added.add(str(odd / name))
    assert added.list() == ()


@pytest.mark.parametrize("given", ["", "  ", "a\0b", "/proc/self/mem", "x" * 5_000])
def test_odd_paths_are_refused(given: str, added: Added) -> None:
    with pytest.raises((Unfit, NotFound)):
        added.add(given)
    assert added.list() == ()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_file_without_permission_is_refused(tmp_path: Path, added: Added) -> None:
    file = tmp_path / "mine.md"
    file.write_text("# Mine")
    file.chmod(0)
    with pytest.raises(Unfit, match=r"mine\.md"):
        added.add(str(file))


@pytest.mark.parametrize(
    ("name", "text", "title"),
    [
        ("a.md", "---\ntitle: From the top\n---\n# Heading\n", "From the top"),
        ("a.md", "Before.\n\n# Heading\n", "Heading"),
        ("a.md", "```\n# not this\n```\n\n# Heading\n", "Heading"),
        ("a.md", "## Second\n\nwords\n", "## Second"),
        ("a.md", "\n\n  First line\nsecond\n", "First line"),
        ("a.md", "w" * 300, "w" * 100),
        ("a.txt", "# no heading here\nwords\n", "# no heading here"),
        ("a.unknown", "words\n", "words"),
        ("README", "words\n", "words"),
    ],
)
def test_the_title_is_found(name: str, text: str, title: str, tmp_path: Path, added: Added) -> None:
    (tmp_path / name).write_text(text)
    made = added.add(str(tmp_path / name))
    assert made.document.title == title
    assert added.get(made.document.id).text == text


def test_a_given_title_stays_when_the_text_changes(tmp_path: Path, added: Added) -> None:
    file = tmp_path / "a.md"
    file.write_text("# One\n")
    assert added.add(str(file), title="  Mine,\n really ").document.title == "Mine, really"
    file.write_text("# Two\n")
    assert added.add(str(file)).document.title == "Mine, really"
    assert added.add(str(file), title="Other").became is Became.UPDATED
    assert added.add(str(file), title="Other").became is Became.UNCHANGED


def test_other_encodings_are_kept_as_they_are(tmp_path: Path, added: Added) -> None:
    file = tmp_path / "wide.md"
    file.write_bytes("# Füße\n".encode("utf-16"))
    made = added.add(str(file))
    assert made.document.title == "Füße"
    assert (tmp_path / "store" / "added" / made.document.path).read_bytes() == file.read_bytes()


def test_the_same_file_by_another_way_is_the_same_document(tmp_path: Path, added: Added) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "a.md").write_text("# A\n")
    first = added.add(str(tmp_path / "a.md"))
    again = added.add(str(tmp_path / "in" / ".." / "a.md"))
    elsewhere = added.add(str(tmp_path / "a.md"), project="other")
    assert (again.became, again.document.id) == (Became.UNCHANGED, first.document.id)
    assert elsewhere.document.id != first.document.id


def test_another_type_replaces_the_text_and_leaves_no_second_one(tmp_path: Path, added: Added) -> None:
    (tmp_path / "a").write_text("# A\n")
    first = added.add(str(tmp_path / "a")).document
    second = added.add(str(tmp_path / "a"), type_name="md").document
    assert (first.id, first.type, second.type) == (second.id, TextType.TEXT, TextType.MARKDOWN)
    names = sorted(file.name for file in (tmp_path / "store" / "added" / "default").iterdir())
    assert names == [f"{first.id}.json", f"{first.id}.md"]


@pytest.mark.parametrize(
    "name", ["", "Upper", "a/b", "..", ".hidden", "a b", "ä", "a" * 65, "node_modules", "-a", "a\n"]
)
def test_projects_have_plain_names(name: str, tmp_path: Path, added: Added) -> None:
    (tmp_path / "a.md").write_text("# A\n")
    with pytest.raises(BadAddress, match="project"):
        added.add(str(tmp_path / "a.md"), project=name)
    with pytest.raises(BadAddress, match="project"):
        added.add_text(b"words", project=name)
    assert not (tmp_path / "store").exists()


def test_what_begins_like_a_url_is_never_a_path(tmp_path: Path, added: Added, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "http:").mkdir()
    (tmp_path / "secret.md").write_text("# Secret\n")
    (tmp_path / "note: a.md").write_text("# Note\n")
    monkeypatch.chdir(tmp_path)
    for given in ("http:/../secret.md", "note: a.md"):
        with pytest.raises(Refused):
            added.add(given)
    assert added.add("./note: a.md").document.title == "Note"


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "store").write_text("a file where the store should be")
    (tmp_path / "a.md").write_text("# A\n")
    with pytest.raises(StoreError, match="store"):
        Added(OwnFolder(tmp_path / "store" / "added", 2), AddedOptions()).add(str(tmp_path / "a.md"))


def test_files_that_somebody_else_put_there_are_not_believed(tmp_path: Path, added: Added) -> None:
    made = added.add_text(b"# A\n").document
    home = tmp_path / "store" / "added" / "default"
    (home / "000000000000.json").write_text("[" * 5_000)
    (home / "111111111111.json").write_text('{"id": 3}')
    (home / "222222222222.json").write_bytes(b"\xff\xfe")
    whole = (home / f"{made.id}.json").read_text().replace('"project": "default"', '"project": "../.."')
    (home / "333333333333.json").write_text(whole)
    leading = (home / f"{made.id}.json").read_text().replace(made.id, "../../../secret")
    (home / "444444444444.json").write_text(leading)
    assert added.list() == (made,)
    for wanted in ("333333333333", "444444444444", "../../../secret"):
        with pytest.raises(PinakesError):
            added.get(wanted)


def test_a_record_whose_text_was_deleted_has_nobody_wait_for_a_writer(tmp_path: Path, added: Added) -> None:
    (tmp_path / "tides.md").write_text("# Tides\n\nHigh water.\n")
    added.add(str(tmp_path / "tides.md"))
    folder = tmp_path / "store" / "added"
    (text,) = folder.glob("*/*.md")
    text.unlink()
    for lock in folder.glob("*.lock*"):
        lock.unlink()
    AddedSource(OwnFolder(folder, 2)).scan()
    assert not list(folder.glob("*.lock*")), "nobody wanted to write"
