"""A format that Pinakes does not have is added with one file and one row, and goes through everything."""

from __future__ import annotations

import os
import pickle
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from pinakes.records import FORMATS, Media, code_media_of, media_of, possible_media_of

TESTS = Path(__file__).parents[1]
ROW = 'Media("subtitles", "kits.subtitles:parse_subtitles", ("subtitles",))'
PROGRAM = f"""
from pinakes.records import Media, add_format
add_format({ROW})
from pinakes.serve.cli import main
main()
"""


def pinakes(*arguments: str, cwd: Path) -> str:
    found = {**os.environ, "PYTHONPATH": str(TESTS)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *arguments], capture_output=True, text=True, cwd=cwd, env=found, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_new_format_is_one_file_and_one_row(tmp_path: Path) -> None:
    talk = "== The first minute\nWelcome to the harbour.\n== The second minute\nThe lighthouse keeper speaks.\n"
    (tmp_path / "talk.subtitles").write_text(talk, encoding="utf-8")
    pinakes("sync", cwd=tmp_path)
    drawn = pinakes("map", cwd=tmp_path)
    assert "talk.subtitles" in drawn
    assert "# The second minute" in drawn
    found = pinakes("search", "lighthouse keeper", cwd=tmp_path)
    assert found.startswith("1. talk.subtitles:3-4  The first minute › The second minute")
    assert pinakes("read", "talk.subtitles#the-second-minute", cwd=tmp_path).endswith("The lighthouse keeper speaks.\n")
    assert "subtitles" in pinakes("status", "talk.subtitles", cwd=tmp_path)


def test_no_room_asks_which_format_a_document_has() -> None:
    asks = re.compile(
        r"(?:\bis|\bis not|[!=]=|\bin)\s+\(?(?:formats\.)?(?:MARKDOWN|RST|ASCIIDOC|ORG|TEXT|SVG|COMMIT|ASSET)\b"
    )
    sources = (TESTS.parent / "src" / "pinakes").rglob("*.py")
    users = [path for path in sources if "records import" in (text := path.read_text("utf-8")) and "formats" in text]
    assert users
    assert [path.name for path in users if asks.search(path.read_text("utf-8"))] == []


@pytest.mark.parametrize("media", FORMATS.values(), ids=FORMATS)
def test_every_row_names_a_parser(media: Media) -> None:
    module, _, name = media.parser.partition(":")
    assert callable(getattr(import_module(module), name))


@pytest.mark.parametrize("media", FORMATS.values(), ids=FORMATS)
def test_a_format_stays_one_object(media: Media) -> None:
    assert pickle.loads(pickle.dumps(media)) is media
    by_name = code_media_of if media.code else possible_media_of if media.telling else media_of
    assert all(by_name(f"Page.{ending.upper()}") is media for ending in media.endings)
    assert not media.telling or not any(media_of(f"page.{ending}").is_document for ending in media.endings)
