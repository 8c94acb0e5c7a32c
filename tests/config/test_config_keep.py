"""Settings that were found out go into the user's own file, and nothing else in it changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinakes.config import load_config
from pinakes.config.keep import keep_settings
from pinakes.errors import ConfigError


def kept(tmp_path: Path, before: str | None, values: dict[str, object]) -> str:
    file = tmp_path / "pinakes" / "config.toml"
    if before is not None:
        file.parent.mkdir(parents=True)
        file.write_text(before)
    assert keep_settings(values, {"XDG_CONFIG_HOME": str(tmp_path)}) == file
    return file.read_text()


def test_a_file_is_made_and_read_back(tmp_path: Path) -> None:
    assert kept(tmp_path, None, {"keywords.diversity": 0.25}) == "[keywords]\ndiversity = 0.25\n"
    assert load_config(tmp_path, {}, {"XDG_CONFIG_HOME": str(tmp_path)}).keywords.diversity == 0.25


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("# mine\n[search]\nlimit = 5 # few\n", "# mine\n[search]\nlimit = 7\n"),
        ("[search]\n\n[keywords]\ntop_n = 3\n", "[search]\nlimit = 7\n\n[keywords]\ntop_n = 3\n"),
        ("[keywords]\ntop_n = 3", "[keywords]\ntop_n = 3\n\n[search]\nlimit = 7\n"),
    ],
)
def test_other_lines_stay_as_they_are(tmp_path: Path, before: str, after: str) -> None:
    assert kept(tmp_path, before, {"search.limit": 7}) == after


@pytest.mark.parametrize("before", ["search = { limit = 5 }\n", "search.limit = 5\n"])
def test_a_file_that_cannot_be_edited_by_line_is_left_alone(tmp_path: Path, before: str) -> None:
    with pytest.raises(ConfigError, match=r"yourself: search\.limit = 7"):
        kept(tmp_path, before, {"search.limit": 7})
    assert (tmp_path / "pinakes" / "config.toml").read_text() == before


@pytest.mark.parametrize("values", [{"search.nothing": 1}, {"search.limit": 1000}, {"search.limit": 0.5}])
def test_what_is_no_setting_is_refused(tmp_path: Path, values: dict[str, object]) -> None:
    with pytest.raises(ConfigError):
        kept(tmp_path, None, values)
    assert not (tmp_path / "pinakes").exists()
