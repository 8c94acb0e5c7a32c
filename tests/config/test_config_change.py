"""One key is set; every other byte of the file stays."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.config import change_project_setting, change_user_setting, load_config, starter_config
from pinakes.config.change import changed
from pinakes.errors import ConfigError

CASES = {
    "nothing yet": ("", '[neural]\nmodel = "x"\n'),
    "no table": ("# mine\nstore = '.p'\n", "# mine\nstore = '.p'\n\n[neural]\nmodel = \"x\"\n"),
    "no newline": ("[map]", '[map]\n\n[neural]\nmodel = "x"\n'),
    "an empty table": ("[neural]\n[map]\n", '[neural]\nmodel = "x"\n[map]\n'),
    "the key": (
        '[neural] # a\nmodel = "static"  # why\nreranker = "none"\n',
        '[neural] # a\nmodel = "x"  # why\nreranker = "none"\n',
    ),
    "a commented default": ('[neural]\n# said\n#model = "static"\n', '[neural]\n# said\nmodel = "x"\n'),
    "the key and its comment": ('[neural]\n#model = "a"\nmodel = "b"\n', '[neural]\n#model = "a"\nmodel = "x"\n'),
    "another table's key": (
        '[keywords]\nmodel = "static"\n[neural]\n',
        '[keywords]\nmodel = "static"\n[neural]\nmodel = "x"\n',
    ),
    "Windows": ("[map]\r\n", '[map]\r\n\r\n[neural]\r\nmodel = "x"\r\n'),
}


@pytest.mark.parametrize("case", CASES)
def test_the_key_is_set_where_a_person_would_set_it(case: str) -> None:
    before, after = CASES[case]
    assert changed(before, "neural", 'model = "x"') == after
    assert changed(after, "neural", 'model = "x"') == after


def test_a_starter_file_keeps_all_it_says(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"pinakes.toml": starter_config()})
    change_project_setting(root, "neural.model", "docs", {})
    text = (root / "pinakes.toml").read_text(encoding="utf-8")
    assert text == starter_config().replace("[neural]\n", "[neural]\n", 1).replace(
        '\n#model = "auto"\n\n# What reads', '\nmodel = "docs"\n\n# What reads'
    )
    assert load_config(root, {}, {}).neural.model == "docs"


def test_a_project_that_speaks_in_pyproject_goes_on_there(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"pyproject.toml": "[tool.pinakes.map]\nbudget_tokens = 10\n"})
    assert change_project_setting(root, "neural.model", "auto", {}) == root / "pyproject.toml"
    assert load_config(root, {}, {}).neural.model == "auto"
    assert load_config(root, {}, {}).map.budget_tokens == 10


def test_what_a_project_may_not_say_is_not_written(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="may not decide that"):
        change_project_setting(tmp_path, "neural.model", "http://127.0.0.1:1/v1#m", {"HOME": "/home/ada"})
    assert not (tmp_path / "pinakes.toml").exists()


def test_the_user_s_file_is_made_and_may_say_it(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path)}
    change_user_setting("neural.model", "http://127.0.0.1:1/v1#m", environment)
    path = change_user_setting("neural.model", "/opt/model", environment)
    assert tomllib.loads(path.read_text()) == {"neural": {"model": "/opt/model"}}
    with pytest.raises(ConfigError, match="Set HOME"):
        change_user_setting("neural.model", "static", {})


def test_numbers_are_written_as_numbers(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path)}
    change_user_setting("weights.dense", 0.4, environment)
    assert load_config(tmp_path, {}, environment).weights.dense == 0.4


@pytest.mark.parametrize("text", ['neural = {model = "a"}\n', 'neural.model = "a"\n', '[neural]\n"model" = "a"\n'])
def test_a_file_written_in_another_way_is_left_alone(tmp_path: Path, text: str) -> None:
    root = write_tree(tmp_path, {"pinakes.toml": text})
    with pytest.raises(ConfigError, match="yourself"):
        change_project_setting(root, "neural.model", "docs", {})
    assert (root / "pinakes.toml").read_text() == text
