"""The file that `pinakes init` writes, and the page that explains it, say what the options say."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from msgspec.structs import replace

from kits.trees import write_tree
from pinakes.config import Config, load_config, starter_config
from pinakes.config.settings import LIMITS, TABLES, Key, keys
from pinakes.config.starter import explanations
from pinakes.config.values import written

DOCS = Path(__file__).resolve().parents[2] / "docs"


def uncommented(text: str) -> str:
    """The file with every setting switched on; prose keeps its “# ”."""
    return re.sub(r"(?m)^#(?! )", "", text)


def test_the_starter_changes_nothing_until_it_is_edited(tmp_path: Path) -> None:
    untouched = load_config(tmp_path, {}, {})
    write_tree(tmp_path, {"pinakes.toml": starter_config()})
    assert load_config(tmp_path, {}, {}) == untouched


def test_the_starter_switched_on_is_the_defaults_again(tmp_path: Path) -> None:
    untouched = load_config(tmp_path, {}, {})
    write_tree(tmp_path, {"pinakes.toml": uncommented(starter_config())})
    config = load_config(tmp_path, {}, {})
    assert replace(config, origins=()) == replace(untouched, origins=())


def test_the_starter_shows_every_key_that_a_project_may_set(tmp_path: Path) -> None:
    tables = tomllib.loads(uncommented(starter_config()))
    shown = {f"{table}.{name}" for table, inner in tables.items() if isinstance(inner, dict) for name in inner}
    assert shown | {"store"} == {key for key in keys() if not key.startswith(("work.", "page.", "store."))}


def test_the_file_in_the_documentation_is_the_starter() -> None:
    assert (DOCS / "pinakes.toml").read_text() == starter_config(), (
        "write it anew: python -c 'import pinakes.config as c; print(c.starter_config(), end=\"\")' > docs/pinakes.toml"
    )


@pytest.mark.parametrize("table", TABLES)
def test_every_key_has_a_line_that_explains_it(table: str) -> None:
    options = TABLES[table]
    assert set(explanations(options)) == set(options.__struct_fields__)


def test_every_table_becomes_a_part_of_the_config() -> None:
    parts = set(Config.__struct_fields__) - {
        "root",
        "store",
        "store_url",
        "store_read_urls",
        "store_library",
        "folders",
        "origins",
    }
    assert parts == set(TABLES)


def test_every_number_has_limits_that_hold_its_default() -> None:
    numbers = {key.dotted for key in keys().values() if key.kind in (int, float)}
    assert numbers == set(LIMITS)
    for dotted, (least, most) in LIMITS.items():
        default = keys()[dotted].default
        for number in default if isinstance(default, tuple) else (default,):
            assert least <= number <= most


@pytest.mark.parametrize("key", keys().values(), ids=lambda key: key.dotted)
def test_the_page_on_configuration_has_a_row_for_every_key(key: Key) -> None:
    page = (DOCS / "configuration.md").read_text()
    part = page.split(f"\n## [{key.table}]\n")[1].split("\n## ")[0] if key.table else page
    row = next((line for line in part.split("\n") if line.startswith(f"| `{key.name}` |")), "")
    assert row, f"docs/configuration.md does not explain {key.dotted}"
    assert f"| `{written(key.default)}` |" in row
    if key.limits:
        assert f"{key.limits[0]:,}–{key.limits[1]:,}" in row


def test_the_page_on_configuration_explains_no_key_that_does_not_exist() -> None:
    page = (DOCS / "configuration.md").read_text()
    named: set[str] = set()
    for part in page.split("\n## ")[1:]:
        table = re.match(r"\[(\w+)\]\n", part)
        if table:
            named |= {f"{table[1]}.{name}" for name in re.findall(r"(?m)^\| `(\w+)` \|", part)}
    assert named == set(keys()) - {"store"}
