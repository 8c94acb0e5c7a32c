"""Whatever stands in a project's file: settings inside the project, or a refusal in plain words."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kits.trees import write_tree
from pinakes.config import ResolvedSetting, SettingLevel, load_config
from pinakes.config.settings import Key, keys
from pinakes.config.values import written
from pinakes.errors import ConfigError

PIECES = st.sampled_from(
    [f"[{table}]\n" for table in ("sources", "keywords", "map", "sync", "x", "[sources]")]
    + [f"{key.name} = " for key in keys().values()]
    + ["1\n", "-1\n", "true\n", '"a"\n', '["a", 1]\n', "[]\n", "{}\n", "1e999\n", "nan\n", "1979-05-27\n", "\n", "\x00"]
)
PLACES = st.lists(st.sampled_from(["..", ".", "", "a", "~", "C:", "\\", "/", ".git", "link", "//", "\x00", "é"])).map(
    "/".join
)


@given(st.binary() | st.lists(PIECES).map("".join).map(str.encode))
def test_any_file_gives_settings_or_a_printable_refusal(data: bytes) -> None:
    with TemporaryDirectory() as folder:
        root = write_tree(Path(folder), {"pinakes.toml": data})
        try:
            config = load_config(root, {}, {})
        except ConfigError as refusal:
            assert str(refusal).isprintable()
            assert "pinakes.toml" in str(refusal)
        else:
            assert config.store.is_relative_to(config.root)


@given(PLACES)
def test_no_wish_of_a_project_puts_the_index_outside(wish: str) -> None:
    with TemporaryDirectory() as folder:
        root = write_tree(Path(folder, "root"), {"pinakes.toml": f"store = {written(wish)}"})
        (root / "link").symlink_to(folder)
        try:
            store = load_config(root, {}, {}).store
        except ConfigError:
            return
        assert store.is_relative_to(root.resolve())
        assert store != root.resolve()
        assert ".git" not in store.parts


@given(st.text())
def test_a_text_written_as_toml_reads_back_as_itself(text: str) -> None:
    with TemporaryDirectory() as folder:
        root = write_tree(Path(folder), {"pinakes.toml": f"[sources]\nexclude = {written((text, 'x'))}"})
        try:
            assert load_config(root, {}, {}).sources.exclude == (text, "x")
        except ConfigError as refusal:
            assert "may not decide that" in str(refusal) or "must be a list of texts" in str(refusal)


@pytest.mark.parametrize("key", keys().values(), ids=lambda key: key.dotted)
def test_every_key_can_be_set_by_its_variable(key: Key, tmp_path: Path) -> None:
    value = key.default if key.default != "" else "some text"  # an empty variable has no effect
    config = load_config(tmp_path, {}, {key.variable: written(value).strip('"')})
    origin = next(origin for origin in config.origins if origin.key == key.dotted)
    assert origin == ResolvedSetting(key.dotted, value, SettingLevel.ENVIRONMENT, key.variable)
