"""Packages that add formats, embedders and finders, as they are installed and used."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kits.plugins import MODEL, RULES, SUBTITLES, package, run, with_plugins
from kits.trees import write_tree

TALK = "1\n00:00 --> 00:02\nThe lighthouse keeper speaks.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", {"talk.srt": TALK, "a.md": "# A\n\nTODO more\n", "pinakes.toml": ""})


def test_without_any_there_are_none(root: Path) -> None:
    done = run(None, root, "plugins")
    assert (done.returncode, done.stdout) == (1, "No plug-ins are installed.\n")


def test_all_three_kinds_are_listed(tmp_path: Path, root: Path) -> None:
    done = run(with_plugins(tmp_path), root, "plugins")
    assert done.stdout.splitlines() == [
        "formats   subtitles  .srt  (subtitles-plugin 1.0)",
        "embedders house  house-2, 3 numbers  (house-model 2.1)",
        "finders   todo  (house-rules 1.0)",
    ]
    listed = json.loads(run(with_plugins(tmp_path), root, "plugins", "--json").stdout)
    assert [(one["name"], one["group"], one["problem"]) for one in listed] == [
        ("subtitles", "formats", ""),
        ("house", "embedders", ""),
        ("todo", "finders", ""),
    ]


def test_a_format_is_one_like_the_others_and_goes_with_its_package(tmp_path: Path, root: Path) -> None:
    installed = with_plugins(tmp_path)
    assert run(installed, root, "sync").returncode == 0
    assert run(installed, root, "status", "talk.srt").stdout == "indexed  talk.srt: is indexed as subtitles.\n"
    assert run(installed, root, "search", "lighthouse keeper").stdout.startswith("1. talk.srt:1-3  Talk\n")
    assert "keeper speaks" in run(installed, root, "read", "talk.srt#t=0").stdout
    added = run(installed, root, "add", "talk.srt")
    assert added.stdout.startswith("added: ")
    gone = run(None, root, "sync")
    assert gone.returncode == 0, gone.stderr
    assert "not that of a document" in run(None, root, "status", "talk.srt").stdout


def test_a_file_that_a_plug_in_cannot_read_names_it(tmp_path: Path, root: Path) -> None:
    (root / "talk.srt").write_text("an odd one")
    said = run(with_plugins(tmp_path), root, "sync").stdout
    assert (
        "talk.srt: The file cannot be read: KeyError: 'an odd line'. Take in its text instead. "
        "The plug-in subtitles of subtitles-plugin 1.0 reads it." in said
    )


def test_an_embedder_is_selected_by_its_name(tmp_path: Path, root: Path) -> None:
    installed = with_plugins(tmp_path)
    (root / "pinakes.toml").write_text('[neural]\nmodel = "house"\n')
    assert run(installed, root, "sync", "--wait").returncode == 0
    hits = json.loads(run(installed, root, "search", "keeper speaks", "--json").stdout)["hits"]
    assert "plugin-house-2" in {vote["by"] for vote in hits[0]["votes"]}
    broken = run(installed, root, "search", "explode this")
    assert (
        "The plug-in “house” (embedders, of house-model 2.1) failed: ValueError: no such text."
        in broken.stderr + broken.stdout
    )
    assert "There is no embedder called “house”" in run(None, root, "search", "keeper").stdout


def test_a_finder_finds_in_check_and_is_named_when_it_breaks(tmp_path: Path, root: Path) -> None:
    installed = with_plugins(tmp_path)
    found = json.loads(run(installed, root, "check", "--json").stdout)
    assert [
        (one["path"], one["line"], one["severity"], one["message"]) for one in found if one["code"] == "plugin"
    ] == [("a.md", 3, "warning", "todo: somebody has to finish this")]
    (root / "a.md").write_text("EXPLODE")
    broken = run(installed, root, "check")
    assert broken.returncode == 2
    assert "The plug-in “todo” (finders, of house-rules 1.0) failed: RuntimeError: a finder broke." in broken.stderr


ENTRIES = "[pinakes.embedders]\nhouse = planted:EMBEDDER\n"
BROKEN = {
    "another promise": (SUBTITLES.replace("promise=1", "promise=9"), "is written for version 9 of the promise"),
    "an error while it is imported": (
        "raise ImportError('no such thing')",
        "cannot be loaded: ImportError: no such thing.",
    ),
    "nothing there": ("x = 1", "cannot be loaded: AttributeError"),
    "another thing": ("FORMAT = 'text'", "is no FormatPlugin: broken3:FORMAT is str."),
    "an ending that is taken": (SUBTITLES.replace("srt", "md"), "is left out: another format has the ending .md."),
    "an ending that is none": (SUBTITLES.replace('"srt"', '"a/b"'), "names no ending"),
    "no function": (SUBTITLES.replace("subtitles_plugin:convert", "x"), "names no function to convert with: “x”"),
}


def test_plug_ins_that_do_not_work_cost_themselves_and_are_named(tmp_path: Path, root: Path) -> None:
    installed = package(tmp_path, "good", RULES, "[pinakes.finders]\ntodo = good:FINDER\n")
    for number, (code, _) in enumerate(BROKEN.values()):
        module = f"broken{number}"
        package(tmp_path, module, code, f"[pinakes.formats]\nbad{number} = {module}:FORMAT\n", "3")
    done = run(installed, root, "plugins")
    examined = run(installed, root, "doctor").stdout
    assert done.returncode == 2
    for number, (_, problem) in enumerate(BROKEN.values()):
        said = f"The plug-in “bad{number}” (formats, of broken{number} 3) {problem}"
        assert said in done.stdout
        assert said in examined
    assert "\nfinders   todo  (good 1.0)" in done.stdout
    assert run(installed, root, "sync").returncode == 0


def test_nothing_in_a_folder_of_documents_is_a_plug_in(tmp_path: Path) -> None:
    marks = "from pathlib import Path\nPath('{}').write_text('run')\n"
    mark = tmp_path / "mark"
    for place in ("docs", "docs/site-packages/.."):
        package(
            tmp_path / place, "planted", marks.format(mark) + MODEL, "[pinakes.embedders]\nhouse = planted:EMBEDDER\n"
        )
    root = tmp_path / "docs"
    write_tree(root, {"a.md": "# A\n", "pinakes.toml": ""})
    for folder in (root, root / "site-packages"):
        assert run(None, folder, "plugins").returncode == 1
        run(None, folder, "sync")
    assert not mark.exists()
