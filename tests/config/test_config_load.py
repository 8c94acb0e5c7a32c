"""Where a setting comes from, who wins, and what is said about one that cannot be understood."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.config import Config, SettingLevel, load_config
from pinakes.errors import ConfigError


def refusal(root: Path, environment: dict[str, str] | None = None, **arguments: object) -> str:
    """The message with which loading is refused."""
    with pytest.raises(ConfigError) as caught:
        load_config(root, {name.replace("__", "."): value for name, value in arguments.items()}, environment or {})
    return str(caught.value)


def said_by(config: Config, key: str) -> tuple[object, SettingLevel, str]:
    """A key's value, level and place."""
    return next((origin.value, origin.level, origin.place) for origin in config.origins if origin.key == key)


def test_without_any_file_everything_is_the_default(tmp_path: Path) -> None:
    config = load_config(tmp_path, {}, {})
    assert config.root == tmp_path
    assert config.store == tmp_path / ".pinakes"
    assert (config.keywords.top_n, config.sync.workers) == (3, 0)
    assert {origin.level for origin in config.origins} == {SettingLevel.DEFAULT}


def test_each_level_wins_over_the_weaker_ones(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "project", {"pinakes.toml": "[keywords]\ntop_n = 5\nmin_chars = 5\ndiversity = 0.5"})
    home = write_tree(
        tmp_path / "home",
        {".config/pinakes/config.toml": "[keywords]\ntop_n = 4\nmin_chars = 4\ndiversity = 0.4\nmin_score = 0.25"},
    )
    environment = {"HOME": str(home), "PINAKES_KEYWORDS_TOP_N": "6", "PINAKES_KEYWORDS_MIN_CHARS": "6"}
    config = load_config(root, {"keywords.top_n": 7}, environment)
    assert said_by(config, "keywords.top_n") == (7, SettingLevel.ARGUMENT, "")
    assert said_by(config, "keywords.min_chars") == (6, SettingLevel.ENVIRONMENT, "PINAKES_KEYWORDS_MIN_CHARS")
    assert said_by(config, "keywords.diversity") == (0.5, SettingLevel.PROJECT, f"{root}/pinakes.toml, line 4")
    assert said_by(config, "keywords.min_score") == (
        0.25,
        SettingLevel.USER,
        f"{home}/.config/pinakes/config.toml, line 5",
    )
    assert (config.keywords.top_n, config.keywords.min_chars, config.keywords.min_score) == (7, 6, 0.25)


def test_pyproject_serves_as_well_as_a_file_of_its_own(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path, {"pyproject.toml": '[tool.pinakes.sources]\nexclude = ["drafts/"]\n[tool.ruff]\nx = 1\n'}
    )
    assert load_config(root, {}, {}).sources.exclude == ("drafts/",)


def test_settings_in_two_project_files_are_refused(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"pinakes.toml": "", "pyproject.toml": "[tool.pinakes]\n"})
    assert refusal(root) == (
        f"Settings stand both in {root}/pinakes.toml and in [tool.pinakes] of pyproject.toml. Keep one of the two."
    )


@pytest.mark.parametrize("content", ["{{ cookiecutter.name }}", b"\xff\xfe", "x = 1\n" * 100_000])
def test_a_pyproject_that_does_not_speak_of_us_is_left_to_others(tmp_path: Path, content: str | bytes) -> None:
    write_tree(tmp_path, {"pyproject.toml": content, "pinakes.toml": "[keywords]\ntop_n = 9"})
    assert load_config(tmp_path, {}, {}).keywords.top_n == 9


def test_an_argument_of_none_was_not_given(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pinakes.toml": "[keywords]\ntop_n = 9"})
    assert load_config(tmp_path, {"keywords.top_n": None}, {}).keywords.top_n == 9


def test_environment_variables_are_read_as_their_type(tmp_path: Path) -> None:
    environment = {
        "PINAKES_KEYWORDS_ENABLED": "no",
        "PINAKES_KEYWORDS_DIVERSITY": "1",
        "PINAKES_KEYWORDS_NGRAM": " 3 ",
        "PINAKES_SOURCES_EXCLUDE": "drafts/, *.tmp.md",
        "PINAKES_SOURCES_INCLUDE": '["a,b.md"]',
        "PINAKES_KEYWORDS_TOP_N": "",
    }
    config = load_config(tmp_path, {}, environment)
    assert (config.keywords.enabled, config.keywords.diversity, config.keywords.ngram) == (False, 1.0, 3)
    assert (config.sources.exclude, config.sources.include) == (("drafts/", "*.tmp.md"), ("a,b.md",))
    assert config.keywords.top_n == 3  # an empty variable says nothing


def test_other_variables_that_share_the_prefix_are_left_alone(tmp_path: Path) -> None:
    cluster = {"PINAKES_PORT": "tcp://10.0.0.1:80", "PINAKES_SERVICE_HOST": "10.0.0.1", "PINAKES_SERVICE_PORT": "80"}
    assert load_config(tmp_path, {}, cluster).store == tmp_path / ".pinakes"


@pytest.mark.parametrize(
    ("variable", "offer"),
    [
        ("PINAKES_KEYWORDS_TOPN", "Did you mean PINAKES_KEYWORDS_TOP_N?"),
        ("PINAKES_KEYWORD_TOP_N", "Did you mean PINAKES_KEYWORDS_TOP_N?"),
        ("PINAKES_STOER", "Did you mean PINAKES_STORE?"),
        ("PINAKES_MAP_ZZZZZZZZZZZZZZ", "Known are PINAKES_ADDED_ALLOW,"),
    ],
)
def test_a_slip_in_a_variable_offers_the_nearest(tmp_path: Path, variable: str, offer: str) -> None:
    message = refusal(tmp_path, {variable: "5"})
    assert message.startswith(f"The environment sets {variable}, which is not a setting. {offer}")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[keywords]\n\ntopn = 5", "line 3: there is no setting “keywords.topn”. Did you mean “keywords.top_n”?"),
        ("[keyword]\ntop_n = 5", "line 1: there is no table [keyword]. Did you mean [keywords]?"),
        ("top_n = 5", "line 1: there is no setting “top_n”. Did you mean “keywords.top_n”?"),
        ("[sources]\nworkers = 2", "line 2: there is no setting “sources.workers”. Did you mean “sync.workers”?"),
        ("stroe = 'x'", "line 1: there is no setting “stroe”. Did you mean “store”?"),
        (
            "[zzz]",
            "line 1: there is no table [zzz]. Known are sources, roots, keywords, map, chunks, search, weights, neural,"
            " sync, watch, history, code, memories, added, check, page, work, folders.",
        ),
        ("keywords = 3", "line 1: keywords must be a table. Write it as [keywords]."),
        ("[[keywords]]\ntop_n = 3", "line 1: keywords must be a table. Write it as [keywords]."),
        ('[hooks]\ncommand = "rm -rf ~"', "line 1: there is no table [hooks]."),
        ('["\\u001b[31mred"]', ": there is no table [\\x1b[31mred]."),
    ],
)
def test_an_unknown_key_is_refused_and_the_nearest_offered(tmp_path: Path, text: str, message: str) -> None:
    root = write_tree(tmp_path, {"pinakes.toml": text})
    said = refusal(root)
    assert said.startswith(f"{root}/pinakes.toml")
    assert message in said
    assert said.isprintable()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[keywords]\ntop_n = "5"', "keywords.top_n must be a whole number from 1 to 50, not “5”. The default is 3."),
        ("[keywords]\ntop_n = true", "must be a whole number from 1 to 50, not true."),
        ("[keywords]\ntop_n = 0", "must be a whole number from 1 to 50, not 0."),
        ("[keywords]\ntop_n = 5.0", "must be a whole number from 1 to 50, not 5.0."),
        ("[keywords]\ndiversity = nan", "must be a number from 0 to 1, not nan."),
        ("[keywords]\ndiversity = inf", "must be a number from 0 to 1, not inf."),
        (f"[keywords]\ndiversity = 1{'0' * 400}", "must be a number from 0 to 1, not "),
        ("[keywords]\nenabled = 1", "must be true or false, not 1."),
        ("[keywords]\nngram = [1]", "must be a whole number from 1 to 5, not [1]."),
        ("[keywords]\nngram = [{a = 1}]", "must be a whole number from 1 to 5, not [dict]."),
        ("[keywords]\nngram = " + "[" * 300 + "]" * 300, "must be a whole number from 1 to 5, not [list]."),
        ("[keywords]\nmodel = 1979-05-27", "must be text, not date."),
        ("[keywords.top_n]\nx = 1", "must be a whole number from 1 to 50, not dict."),
        ('[sources]\ninclude = "docs"', "must be a list of texts, not “docs”."),
        ("[sources]\ninclude = [1]", "must be a list of texts, not 1."),
        ('store = "a\\u0000b"', "store must be text, not “a\\x00b”."),
    ],
)
def test_a_value_of_the_wrong_kind_says_what_was_expected_and_what_came(
    tmp_path: Path, text: str, message: str
) -> None:
    assert message in refusal(write_tree(tmp_path, {"pinakes.toml": text}))


@pytest.mark.parametrize("text", ["five", "9" * 5000, "nan", "5.5", "[5"])
def test_a_variable_of_the_wrong_kind_names_the_variable(tmp_path: Path, text: str) -> None:
    message = refusal(tmp_path, {"PINAKES_KEYWORDS_TOP_N": text})
    assert message.startswith("PINAKES_KEYWORDS_TOP_N: keywords.top_n must be a whole number from 1 to 50, not “")


@pytest.mark.parametrize("text", ["[1, 2", "[" * 100_000, "[1]", '["a"] x'])
def test_a_list_variable_that_is_no_list_is_refused(tmp_path: Path, text: str) -> None:
    message = refusal(tmp_path, {"PINAKES_SOURCES_EXCLUDE": text})
    assert message.startswith("PINAKES_SOURCES_EXCLUDE: sources.exclude must be a list of texts, not ")


def test_an_unknown_or_wrong_argument_is_refused(tmp_path: Path) -> None:
    assert "Did you mean “keywords.top_n”?" in refusal(tmp_path, keywords__topn=1)
    assert "must be a whole number from 1 to 50, not 99." in refusal(tmp_path, keywords__top_n=99)
    assert load_config(tmp_path, {"keywords.top_n": "8"}, {}).keywords.top_n == 8


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("[keywords\ntop_n = 3", "is not valid TOML: Expected ']' at the end of a table declaration (at line 1, "),
        ("x = " + "9" * 5000, "is not valid TOML: Exceeds the limit"),
        ("x = " + "[" * 100_000, "brackets that are nested too deeply"),
        ("a" + ".a" * 100_000 + " = 1", "has more than 500 dots in line 1"),
        (b"# caf\xe9\n", "line 1: this is not UTF-8. Save the file as UTF-8."),
        ("#" * 300_000, "is larger than 256 kB"),
    ],
)
def test_a_file_that_cannot_be_read_says_where_and_why(tmp_path: Path, content: str | bytes, message: str) -> None:
    root = write_tree(tmp_path, {"pinakes.toml": content})
    said = refusal(root)
    assert said.startswith(f"{root}/pinakes.toml")
    assert message in said


def test_a_byte_order_mark_does_no_harm(tmp_path: Path) -> None:
    write_tree(tmp_path, {"pinakes.toml": b"\xef\xbb\xbf[keywords]\r\ntop_n = 4\r\n"})
    assert load_config(tmp_path, {}, {}).keywords.top_n == 4


def test_a_pipe_or_a_folder_in_place_of_the_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pinakes.toml")
    assert "is not a plain file" in refusal(tmp_path)
    folder = tmp_path / "other"
    (folder / "pinakes.toml").mkdir(parents=True)
    assert "is not a plain file" in refusal(folder)


def test_a_broken_file_of_the_user_names_that_file(tmp_path: Path) -> None:
    home = write_tree(tmp_path / "home", {"settings/pinakes/config.toml": "[map"})
    said = refusal(tmp_path, {"XDG_CONFIG_HOME": str(home / "settings"), "HOME": "/nowhere"})
    assert said.startswith(f"{home}/settings/pinakes/config.toml is not valid TOML")


def test_a_relative_xdg_folder_is_ignored_as_its_specification_says(tmp_path: Path) -> None:
    write_tree(tmp_path, {"here/pinakes/config.toml": "[map"})
    assert load_config(tmp_path, {}, {"XDG_CONFIG_HOME": "here"}).root == tmp_path


def test_a_part_of_search_that_does_not_exist_cannot_be_left_out(tmp_path: Path) -> None:
    assert load_config(tmp_path, {"search.leave_out": ("meaning",)}, {}).search.leave_out == ("meaning",)
    with pytest.raises(ConfigError, match=r"leave_out must be a list of .*“page_support”.*, not “nonsense”"):
        load_config(tmp_path, {"search.leave_out": ("meaning", "nonsense")}, {})
