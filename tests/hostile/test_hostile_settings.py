"""Files that a project brings along cost little to read, whatever is in them: settings, synonyms, front matter, notes.

Each text is as large as it may be. It is read or refused with a sentence; a run of the program is held to its limits of
processor time and memory.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from kits.hostile import pinakes
from kits.trees import write_tree
from pinakes.config import load_config
from pinakes.errors import ConfigError, Unreadable
from pinakes.memories.head import rewritten
from pinakes.search import load_synonyms

TOML = {
    "keys": "".join(f"k{number}=1\n" for number in range(26_000)),
    "tables": "".join(f"[t{number}]\n" for number in range(26_000)),
    "deep tables": "".join(f"[{'a.' * 400}b{number}]\n" for number in range(290)),
    "deep keys": "".join(f"{'a.' * 400}b{number}=1\n" for number in range(290)),
    "inline tables": "x=" + "{a=" * 30_000,
    "arrays of tables": "[[a]]\n" * 40_000,
    "nested arrays of tables": "".join(f"[[a{'.a' * number}]]\n" for number in range(400)),
    "a number": "x=" + "9" * 200_000,
    "an exponent": "x=1e" + "9" * 200_000,
    "escapes": 'x="' + "\\u0041" * 30_000 + '"',
    "dates": "x=[" + "2020-01-01T00:00:00Z," * 10_000 + "]",
    "dots in a table": "x={" + ",".join(f"a{number}.b=1" for number in range(20_000)) + "}",
    "quoted keys": "'" + "a'.'" * 40_000 + "'=1",
    "blanks": "a ." + " " * 200_000 + "b = 1",
    "line ends": 'x="""' + "\\\n" * 100_000 + '"""',
    "groups": "same=[" + ",".join(f'["a","b{number}"]' for number in range(10_000)) + "]",
}
YAML = {
    "aliases": "a0: &a0 [x]\n" + "".join(f"a{n + 1}: &a{n + 1} [{', '.join([f'*a{n}'] * 9)}]\n" for n in range(20)),
    "lists": "a: " + "[" * 50_000,
    "maps": "a: " + "{a: " * 40_000,
    "blocks": "".join(" " * depth + "a:\n" for depth in range(600)),
    "keys": "".join(f"k{number}: 1\n" for number in range(22_000)),
    "merges": "a: &a {x: 1}\nb: {" + "<<: *a, " * 20_000 + "}",
    "a number": "a: " + "9" * 200_000,
    "a hexadecimal number": "a: 0x" + "f" * 200_000,
    "a number of base sixty": "a: 1" + ":59" * 60_000,
    "questions": "? " * 60_000,
    "dashes": "- " * 60_000,
    "quotes": "a: '" + "''" * 100_000 + "'",
    "escapes": 'a: "' + "\\x41" * 50_000 + '"',
    "colons": "a: b: " * 40_000,
    "tags": "tags: [" + "a, " * 70_000 + "]",
    "an object": "a: !!python/object/apply:os.system ['id']",
    "anchors": "".join(f"k{number}: &a{number} 1\n" for number in range(15_000)),
    "other names": "aliases: [" + ", ".join(f"n{number}" for number in range(30_000)) + "]",
    "links": "related: [" + ", ".join(f"n{number}" for number in range(30_000)) + "]",
    "empty lines": "a: 'x\n" + "\n" * 200_000 + "'",
}


@pytest.mark.parametrize("case", TOML)
def test_settings_and_synonyms_are_read_or_refused_with_a_sentence(tmp_path: Path, case: str) -> None:
    for name in ("synonyms.toml", "pinakes.toml"):
        (tmp_path / name).write_text(TOML[case])
    with suppress(ConfigError):
        load_synonyms(tmp_path)
    with suppress(ConfigError):
        load_config(tmp_path, {})


@pytest.mark.parametrize("case", YAML)
def test_the_head_of_a_memory_is_changed_or_refused(case: str) -> None:
    head = f"---\n{YAML[case]}\n---\n# A\n".encode()
    with suppress(Unreadable):
        assert rewritten(head, {"status": "archived"}, None, "a").endswith(b"# A\n")


def test_a_folder_of_hostile_front_matter_is_indexed_within_the_limits(tmp_path: Path) -> None:
    yaml = {case.replace(" ", "-"): f"---\n{text}\n---\n# Lamp of {case}\n" for case, text in YAML.items()}
    toml = {case.replace(" ", "-"): f"+++\n{text}\n+++\n# Lamp of {case}\n" for case, text in TOML.items()}
    files = {f"yaml/{name}.md": text for name, text in yaml.items()}
    files |= {f"toml/{name}.md": text for name, text in toml.items()}
    files |= {f".memories/{name}.md": text for name, text in yaml.items()}
    write_tree(tmp_path, files)
    assert pinakes(tmp_path, "sync", "--root", ".").code == 0
    assert "yaml/" in pinakes(tmp_path, "search", "lamp").out
    assert pinakes(tmp_path, "memories").code == 0
