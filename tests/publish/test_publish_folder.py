"""Whose files are whose: nothing in a folder is touched that was not published there, and no run is lost."""

from __future__ import annotations

import errno
import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import pinakes
from kits.publish import broken, files, indexes, publish, times
from kits.trees import write_tree
from pinakes.errors import ConfigError, NotFound, PublishError
from pinakes.publish import PublishOptions

LONG = "text " * 300


def library(tmp_path: Path) -> Path:
    return write_tree(
        tmp_path / "docs",
        {
            "README.md": "# Home\n\nSee [a](guide/a.md).\n",
            "guide/a.md": f"# A\n\n{LONG}\n\n## Overview\n\n{LONG}\n\n## API Reference\n\n{LONG}\n",
            "guide/b.md": "# B\n\nShort.\n",
            "guide/deep/c.md": "# C\n\nShorter.\n",
        },
    )


def test_the_folder_has_what_the_format_says(tmp_path: Path) -> None:
    done = publish(library(tmp_path), tmp_path / "out")
    assert sorted(files(tmp_path / "out")) == sorted(
        [
            ".nojekyll",
            ".pinakes-published",
            "404.html",
            "README.md",
            "_chunks/README-0.md",
            "_chunks/README.json",
            "_embeddings/chunks.json",
            "_keywords/chunks.json",
            "_keywords/words.md",
            "_pages/site.css",
            "_relations/documents.json",
            "files.json",
            *(
                f"{folder}/{name}"
                for folder in ("guide", "guide/deep")
                for name in (
                    "_embeddings/chunks.json",
                    "_keywords/chunks.json",
                    "_relations/documents.json",
                    "index.html",
                )
            ),
            "guide/_chunks/a.json",
            "guide/_chunks/b.json",
            "guide/a.html",
            "guide/b.html",
            "guide/deep/_chunks/c.json",
            "guide/deep/c.html",
            "index.html",
            "robots.txt",
            "guide/_chunks/a-0.md",
            "guide/_chunks/a-1.md",
            "guide/_chunks/a-2.md",
            "guide/_chunks/b-0.md",
            "guide/_keywords/words.md",
            "guide/a.md",
            "guide/b.md",
            "guide/deep/_chunks/c-0.md",
            "guide/deep/_keywords/words.md",
            "guide/deep/c.md",
            "guide/deep/index.json",
            "guide/deep/map.txt",
            "guide/deep/topic-spec.md",
            "guide/index.json",
            "guide/map.txt",
            "guide/topic-spec.md",
            "index.json",
            "llms-full.txt",
            "llms.txt",
            "map.txt",
            "schema.json",
            "search/index.html",
            "search/index.js",
            "search/search.css",
            "search/search.js",
            "search/spelling.js",
            *sorted(path for path in files(tmp_path / "out") if path.startswith("search/text/")),
            "search/words-0.js",
            "topic-spec.md",
        ]
    )
    assert (done.topics, done.documents, done.chunks, done.pages) == (3, 4, 6, 7)
    assert 3 <= sum(path.startswith("search/text/") for path in files(tmp_path / "out")) <= 4
    held = indexes(tmp_path / "out")["guide/index.json"]["_embedded"]["chunks"]["a"]
    assert (held["baseline_conceptual"], held["baseline_technical"]) == (1, 2)
    assert broken(tmp_path / "out") == []


def test_a_folder_of_somebody_else_is_refused_with_the_next_step(tmp_path: Path) -> None:
    write_tree(tmp_path / "out", {"mine.txt": "mine"})
    with pytest.raises(PublishError, match=r"not published by Pinakes\. Name an empty folder"):
        publish(library(tmp_path), tmp_path / "out")
    assert files(tmp_path / "out") == {"mine.txt": b"mine"}


@pytest.mark.parametrize("place", [".", "guide", ".pinakes", ".pinakes/site"])
def test_neither_the_documents_nor_the_index_are_published_over(tmp_path: Path, place: str) -> None:
    root = library(tmp_path)
    before = files(root)
    with pytest.raises(PublishError):
        publish(root, root / place)
    assert {path: data for path, data in files(root).items() if path in before} == before


def test_a_folder_inside_the_root_is_published_into_and_never_read(tmp_path: Path) -> None:
    root = library(tmp_path)
    assert publish(root, root / "site").documents == 4
    again = publish(root, root / "site")
    assert (again.documents, again.written) == (4, ())


def test_files_that_were_not_published_stay_and_are_named_only_when_they_stand_in_the_way(tmp_path: Path) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    publish(root, out)
    write_tree(out, {"CNAME": "example.org", "guide/d.md": "mine", "guide/_chunks/notes.txt": "mine"})
    write_tree(root, {"guide/d.md": "# D\n"})
    done = publish(root, out)
    assert done.kept == ("guide/d.md",)
    assert ((out / "CNAME").read_text(), (out / "guide/d.md").read_text()) == ("example.org", "mine")
    (out / "guide/d.md").unlink()
    assert publish(root, out).kept == ()
    assert (out / "guide/d.md").read_text() == "# D\n"


def test_a_published_file_that_somebody_changed_is_kept_and_named_until_it_is_moved_away(tmp_path: Path) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    publish(root, out)
    (out / "guide/b.md").write_text("changed")
    assert publish(root, out).kept == ("guide/b.md",)
    write_tree(root, {"guide/b.md": "# B\n\nLonger.\n"})
    assert publish(root, out).kept == ("guide/b.md",)
    (root / "guide/b.md").unlink()
    assert publish(root, out).kept == ("guide/b.md",)
    assert (out / "guide/b.md").read_text() == "changed"


def test_what_is_no_longer_needed_is_removed_with_the_folders_it_leaves_empty(tmp_path: Path) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    publish(root, out)
    (root / "guide/deep/c.md").unlink()
    done = publish(root, out)
    assert "guide/deep/index.json" in done.removed
    assert not (out / "guide/deep").exists()
    assert broken(out) == []


def test_a_file_that_was_deleted_is_published_again(tmp_path: Path) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    publish(root, out)
    (out / "guide/_chunks/a-1.md").unlink()
    assert publish(root, out).written == ("guide/_chunks/a-1.md",)


def test_links_in_the_folder_are_never_followed(tmp_path: Path) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    publish(root, out)
    outside = write_tree(tmp_path / "outside", {"b.md": "theirs"})
    (out / "guide/b.md").unlink()
    (out / "guide/b.md").symlink_to(outside / "b.md")
    shutil.rmtree(out / "guide/deep")
    (out / "guide/deep").symlink_to(outside)
    (out / ".pinakes-writing").symlink_to(outside / "b.md")
    write_tree(root, {"guide/b.md": "# B\n\nNew.\n", "guide/deep/c.md": "# C\n\nNew.\n"})
    with pytest.raises(PublishError):
        publish(root, out)
    (out / ".pinakes-writing").unlink()
    kept = publish(root, out).kept
    assert "guide/b.md" in kept
    assert "guide/deep/index.json" in kept
    assert files(outside) == {"b.md": b"theirs"}


def test_a_manifest_that_names_files_elsewhere_removes_nothing_there(tmp_path: Path) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    publish(root, out)
    theirs = write_tree(tmp_path, {"theirs.txt": ""})
    held = json.loads((out / ".pinakes-published").read_bytes())
    digest = held["parts"]["index.json"]["files"][".nojekyll"]
    held["parts"]["index.json"]["files"] |= {"../theirs.txt": digest, str(theirs / "theirs.txt"): digest}
    (out / ".pinakes-published").write_text(json.dumps(held))
    (root / "guide/b.md").unlink()
    publish(root, out)
    assert (theirs / "theirs.txt").exists()


@pytest.mark.parametrize("damage", [b"", b"{", b"[]", b'{"format": 1}', b"\xff"])
def test_a_damaged_manifest_loses_nothing(tmp_path: Path, damage: bytes) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    publish(root, out)
    before = files(out)
    (out / ".pinakes-published").write_bytes(damage)
    assert publish(root, out).kept == ()
    assert files(out) == before


def test_a_folder_of_a_newer_pinakes_is_refused(tmp_path: Path) -> None:
    write_tree(tmp_path / "out", {".pinakes-published": '{"format": 99, "parts": {}}'})
    with pytest.raises(PublishError, match="newer"):
        publish(library(tmp_path), tmp_path / "out")


KILLED = """
import os, signal, sys
from pathlib import Path
import pinakes
from pinakes.publish import folder

left = int(sys.argv[3])
put = folder.PublishedFolder._put

def counted(self, path, data, digest):
    global left
    left -= 1
    if left < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    put(self, path, data, digest)

folder.PublishedFolder._put = counted
with pinakes.open(sys.argv[1]) as library:
    library.sync(corpora=("docs",))
    library.publish(Path(sys.argv[2]))
"""


@pytest.mark.parametrize("after", [0, 1, 5, 13, 20])
def test_a_run_that_was_killed_is_finished_by_the_next_even_when_documents_changed_meanwhile(
    tmp_path: Path, after: int
) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    command = [sys.executable, "-c", KILLED, str(root), str(out), str(after)]
    assert subprocess.run(command, check=False).returncode == -signal.SIGKILL
    write_tree(root, {"guide/a.md": f"# A\n\n{LONG}\n", "README.md": "# Other\n"})
    assert publish(root, out).kept == ()
    publish(root, tmp_path / "fresh")
    assert files(out) == files(tmp_path / "fresh")


@pytest.mark.parametrize("after", [0, 3, 7, 11])
def test_a_full_disk_is_told_of_and_the_folder_stays_whole(
    tmp_path: Path, after: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    publish(root, out)
    write_tree(root, {"guide/a.md": f"# A\n\n{LONG}\n", "guide/e.md": f"# E\n\n{LONG}\n", "README.md": "# Other\n"})
    with pinakes.open(root) as opened:
        opened.sync(corpora=("docs",))
        left = after
        really = os.write

        def full(descriptor: int, data: bytes) -> int:
            nonlocal left
            left -= 1
            if left < 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            return really(descriptor, data)

        with monkeypatch.context() as patch:
            patch.setattr(os, "write", full)
            with pytest.raises(PublishError, match=r"cannot be written: No space left on device\. Make room"):
                opened.publish(out)
    assert broken(out) == []
    assert ".pinakes-writing.new" not in files(out)
    assert publish(root, out).kept == ()
    publish(root, tmp_path / "fresh")
    assert files(out) == files(tmp_path / "fresh")


def test_a_folder_that_cannot_be_written_is_told_of(tmp_path: Path) -> None:
    write_tree(tmp_path, {"file": ""})
    with pytest.raises(PublishError, match="cannot be written"):
        publish(library(tmp_path), tmp_path / "file")


def test_only_the_topics_asked_for_are_published(tmp_path: Path) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    done = publish(root, out, PublishOptions(topics=("guide/deep",)))
    assert (done.documents, sorted(indexes(out))) == (1, ["guide/deep/index.json", "guide/index.json", "index.json"])
    assert broken(out) == []
    publish(root, out)
    assert publish(root, out, PublishOptions(topics=("guide/deep/",))).removed != ()
    with pytest.raises(NotFound, match="no documents under"):
        publish(root, out, PublishOptions(topics=("nowhere",)))


def test_with_a_base_url_every_link_begins_with_it(tmp_path: Path) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    publish(root, out, PublishOptions(base_url="https://example.org/d/"))
    index = indexes(out)["guide/index.json"]
    assert index["_links"]["self"]["href"] == "https://example.org/d/guide/index.json"
    held = index["_embedded"]["chunks"]["a"]
    assert held["index"] == "https://example.org/d/guide/_chunks/a.json"
    assert (held["source"], held["page"]) == ("https://example.org/d/guide/a.md", "https://example.org/d/guide/a.html")
    items = json.loads((out / "guide/_chunks/a.json").read_bytes())["items"]
    assert items[0]["href"] == "https://example.org/d/guide/_chunks/a-0.md"
    assert "(https://example.org/d/guide/a.md)" in (out / "llms.txt").read_text()


@pytest.mark.parametrize("url", ["example.org", "javascript:alert(1)", "//example.org", "https://a b", "https://a/?q"])
def test_a_base_url_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(ConfigError, match="not an address to publish at"):
        PublishOptions(base_url=url)


@pytest.mark.parametrize(("least", "most"), [(0, 10), (300, 500), (5, 4)])
def test_sizes_that_cannot_be_kept_are_refused(least: int, most: int) -> None:
    with pytest.raises(ConfigError, match="cannot be cut"):
        PublishOptions(min_tokens=least, max_tokens=most)


def test_a_golden_reference_speaks_for_its_topic(tmp_path: Path) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    write_tree(root, {"guide/golden-reference.md": f"# Everything\n\n{LONG}\n"})
    publish(root, out)
    index = indexes(out)["guide/index.json"]
    assert (index["chunked_by"], index["title"]) == ("golden-reference.md", "Everything")
    assert list(index["_embedded"]["chunks"]) == ["golden-reference"]
    assert (out / "guide/b.md").exists()


def test_without_an_embedder_words_take_its_place_and_the_index_says_so(tmp_path: Path) -> None:
    # An installation that lost its weights: a copy of the package without them.
    package = Path(pinakes.__file__).parent
    shutil.copytree(package, tmp_path / "lib" / "pinakes", ignore=shutil.ignore_patterns("*.npy", "__pycache__"))
    environment = {**os.environ, "PYTHONPATH": str(tmp_path / "lib")}
    root, out = library(tmp_path), tmp_path / "out"
    command = [sys.executable, "-m", "pinakes", "publish", str(out), "--root", str(root)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "There is no embedder: similarities are TF-IDF cosines." in done.stdout + done.stderr
    assert {index["similarity"] for index in indexes(out).values()} == {"tf-idf"}
    before = times(out)
    assert subprocess.run(command, env=environment, capture_output=True).returncode == 0
    assert times(out) == before


def test_a_drawing_is_published_whole_and_not_in_chunks(tmp_path: Path) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    write_tree(root, {"guide/d.svg": "<svg xmlns='http://www.w3.org/2000/svg'><text>Hello</text></svg>"})
    publish(root, out)
    assert (out / "guide/d.svg").exists()
    assert sorted(indexes(out)["guide/index.json"]["_embedded"]["chunks"]) == ["a", "b"]
