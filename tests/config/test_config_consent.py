"""What a stranger's project cannot make Pinakes do, and what its user can."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.config import load_config, user_file
from pinakes.errors import ConfigError


def refusal(root: Path, environment: dict[str, str] | None = None, **arguments: object) -> str:
    with pytest.raises(ConfigError) as caught:
        load_config(root, arguments, environment or {})
    return str(caught.value)


HOSTILE = [
    'store = "/etc"',
    'store = "../elsewhere"',
    'store = "a/../../elsewhere"',
    'store = "~/.ssh"',
    'store = "C:\\\\Windows"',
    'store = "\\\\\\\\server\\\\share"',
    'store = ".git/hooks"',
    '[sources]\ninclude = ["/etc"]',
    '[sources]\ninclude = ["docs/*.md", "../../*"]',
    '[sources]\ninclude = ["!/etc"]',
    '[sources]\ninclude = ["docs\\\\..\\\\..\\\\x"]',
    '[sources]\nexclude = ["../x"]',
    '[sources]\nexclude = ["//server/share"]',
    '[keywords]\nmodel = "/opt/model"',
    '[keywords]\nmodel = "./model"',
    '[keywords]\nmodel = "models/evil"',
    '[keywords]\nmodel = "https://evil.example/model"',
    '[keywords]\nmodel = "file:///etc/passwd"',
    '[keywords]\nmodel = "localhost:8080"',
    '[keywords]\nmodel = "10.0.0.1"',
    '[keywords]\nmodel = "evil.example"',
    '[keywords]\nmodel = "[::1]"',
    '[keywords]\nmodel = "$(touch /tmp/x)"',
    '[neural]\nmodel = "http://127.0.0.1:11434/v1#nomic"',
    '[neural]\nmodel = "sentence-transformers:evil/model"',
    '[neural]\nmodel = "./model"',
    '[neural]\nreranker = "models/evil"',
    '[roots]\nmore = ["x=/etc"]',
    '[roots]\nmore = ["x=../other"]',
    '[roots]\nmore = ["x=~"]',
    '[added]\nallow = ["127.0.0.1"]',
    '[work]\nendpoint = "https://evil.example/v1"',
    '[work]\nendpoint = ""',
    '[work]\nprovider = "openai"',
    '[work]\nmodel = "plain-name"',
    '[work]\nkey_variable = "AWS_SECRET_ACCESS_KEY"',
    "[work]\nmax_answer_tokens = 1_000_000",
    "[work]\ntimeout_s = 1",
]


@pytest.mark.parametrize("text", HOSTILE)
def test_a_project_file_that_reaches_out_is_refused_with_the_way_to_consent(tmp_path: Path, text: str) -> None:
    root = write_tree(tmp_path / "project", {"pinakes.toml": text})
    said = refusal(root, {"HOME": "/home/ada"})
    assert said.startswith(f"{root}/pinakes.toml, line ")
    assert "a project’s file may not decide that" in said
    assert "put it in your own file (/home/ada/.config/pinakes/config.toml) or set PINAKES_" in said


@pytest.mark.parametrize("text", HOSTILE)
def test_pyproject_is_no_way_around(tmp_path: Path, text: str) -> None:
    text = text.replace("[sources]", "[tool.pinakes.sources]").replace("[keywords]", "[tool.pinakes.keywords]")
    for table in ("neural", "roots", "added", "work"):
        text = text.replace(f"[{table}]", f"[tool.pinakes.{table}]")
    root = write_tree(tmp_path / "project", {"pyproject.toml": f"[tool.pinakes]\n{text}"})
    assert "a project’s file may not decide that" in refusal(root)


def test_a_stronger_word_of_the_user_does_not_hide_a_hostile_project(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "project", {"pinakes.toml": 'store = "/etc"'})
    assert "may not decide that" in refusal(root, store=tmp_path / "mine")


def test_the_user_may_say_all_of_it(tmp_path: Path) -> None:
    home = write_tree(
        tmp_path / "home",
        {".config/pinakes/config.toml": '[keywords]\nmodel = "/opt/model"\n[sources]\ninclude = ["/README.md"]'},
    )
    config = load_config(tmp_path / "project", {}, {"HOME": str(home)})
    assert (config.keywords.model, config.sources.include) == ("/opt/model", ("/README.md",))
    config = load_config(tmp_path / "project", {}, {"PINAKES_KEYWORDS_MODEL": "./model"})
    assert config.keywords.model == "./model"


def test_a_project_may_exclude_from_its_own_top_and_keep_its_index_inside(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path, {"pinakes.toml": 'store = "build/index"\n[sources]\nexclude = ["/drafts", "!/drafts/a"]'}
    )
    config = load_config(root, {}, {})
    assert (config.store, config.sources.exclude) == (root / "build/index", ("/drafts", "!/drafts/a"))


def test_a_linked_settings_file_that_leaves_the_root_is_not_followed(tmp_path: Path) -> None:
    write_tree(tmp_path, {"outside.toml": "[keywords]\ntop_n = 9"})
    root = tmp_path / "project"
    root.mkdir()
    (root / "pinakes.toml").symlink_to(tmp_path / "outside.toml")
    assert "is a link that leaves the project, so it is not read" in refusal(root)
    (root / "pinakes.toml").unlink()
    write_tree(tmp_path, {"outside.toml": "[tool.pinakes.keywords]\ntop_n = 9"})
    (root / "pyproject.toml").symlink_to(tmp_path / "outside.toml")
    assert load_config(root, {}, {}).keywords.top_n == 3


def test_a_linked_settings_file_inside_the_root_is_followed(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"settings/ours.toml": "[keywords]\ntop_n = 9"})
    (root / "pinakes.toml").symlink_to("settings/ours.toml")
    assert load_config(root, {}, {}).keywords.top_n == 9


@pytest.mark.parametrize("setting", ["", 'store = "index"'])
def test_an_index_folder_that_is_a_link_out_of_the_project_is_refused(tmp_path: Path, setting: str) -> None:
    root = write_tree(tmp_path / "project", {"pinakes.toml": setting})
    (tmp_path / "elsewhere").mkdir()
    for name in (".pinakes", "index"):
        (root / name).symlink_to(tmp_path / "elsewhere")
    said = refusal(root)
    assert f"leads to {tmp_path}/elsewhere, outside" in said
    assert "PINAKES_STORE" in said
    assert load_config(root, {"store": root / ".pinakes"}, {}).store == tmp_path / "elsewhere"


def test_arguments_and_variables_put_the_index_where_the_shell_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "project"
    root.mkdir()
    monkeypatch.chdir(tmp_path)
    assert load_config(root, {"store": Path("here")}, {}).store == tmp_path / "here"
    assert load_config(root, {}, {"PINAKES_STORE": "there"}).store == tmp_path / "there"
    assert load_config(root, {}, {"PINAKES_STORE": "~/x", "HOME": str(tmp_path)}).store == tmp_path / "x"


def test_one_folder_in_the_users_file_holds_an_index_for_each_project(tmp_path: Path) -> None:
    home = write_tree(tmp_path / "home", {".config/pinakes/config.toml": 'store = "~/indexes"'})
    stores = [load_config(tmp_path / place / "docs", {}, {"HOME": str(home)}).store for place in ("a", "b")]
    assert stores[0] != stores[1]
    assert [store.parent for store in stores] == [home / "indexes"] * 2
    assert all(store.name.startswith("docs-") for store in stores)


def test_a_relative_folder_in_the_users_file_lies_in_each_project(tmp_path: Path) -> None:
    home = write_tree(tmp_path / "home", {".config/pinakes/config.toml": 'store = ".cache/index"'})
    config = load_config(tmp_path / "project", {}, {"HOME": str(home)})
    assert config.store == tmp_path / "project/.cache/index"


@pytest.mark.parametrize("wish", [".", "docs/..", ".."])
def test_the_index_is_never_kept_among_the_documents(tmp_path: Path, wish: str) -> None:
    root = write_tree(tmp_path / "project", {"docs/a.md": ""})
    assert "which holds the documents" in refusal(root, store=os.path.join(root, wish))
    write_tree(root, {"pinakes.toml": 'store = "."'})
    assert "which holds the documents" in refusal(root)


def test_without_a_home_there_is_no_file_of_the_user() -> None:
    assert user_file({}) is None
    assert user_file({"HOME": "/home/ada"}) == Path("/home/ada/.config/pinakes/config.toml")
    assert user_file({"HOME": "/home/ada", "XDG_CONFIG_HOME": "/xdg"}) == Path("/xdg/pinakes/config.toml")
