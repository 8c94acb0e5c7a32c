"""Where a user's files lie, on each system and with what earlier versions left behind."""

from __future__ import annotations

from pathlib import Path

from pinakes.user_folders import cache_path, config_path, data_path


def test_linux_and_macos_follow_the_variables_of_xdg() -> None:
    home = {"HOME": "/home/ada"}
    assert config_path("config.toml", home, "posix") == Path("/home/ada/.config/pinakes/config.toml")
    assert data_path("models", home, "posix") == Path("/home/ada/.local/share/pinakes/models")
    assert cache_path("models", home, "posix") == Path("/home/ada/.cache/pinakes/models")
    named = {**home, "XDG_DATA_HOME": "/data", "XDG_CACHE_HOME": "relative"}
    assert data_path("models", named, "posix") == Path("/data/pinakes/models")
    assert cache_path("models", named, "posix") == Path("/home/ada/.cache/pinakes/models")


def test_without_a_home_there_is_no_folder() -> None:
    for path in (config_path, data_path, cache_path):
        assert path("x", {}, "posix") is None
        assert path("x", {"HOME": "here"}, "nt") is None


def test_windows_has_one_folder_for_data_and_one_for_caches(tmp_path: Path) -> None:
    system = {"APPDATA": str(tmp_path / "Roaming"), "LOCALAPPDATA": str(tmp_path / "Local")}
    assert config_path("config.toml", system, "nt") == tmp_path / "Roaming/pinakes/config.toml"
    assert data_path("memories", system, "nt") == tmp_path / "Local/pinakes/memories"
    assert data_path("models", system, "nt") == tmp_path / "Local/pinakes/models"
    assert cache_path("models", system, "nt") == tmp_path / "Local/pinakes/cache/models"


def test_windows_data_of_an_earlier_version_stays_where_it_is(tmp_path: Path) -> None:
    system = {"APPDATA": str(tmp_path / "Roaming"), "LOCALAPPDATA": str(tmp_path / "Local")}
    (tmp_path / "Roaming/pinakes/memories").mkdir(parents=True)
    assert data_path("memories", system, "nt") == tmp_path / "Roaming/pinakes/memories"
    assert data_path("models", system, "nt") == tmp_path / "Local/pinakes/models"
