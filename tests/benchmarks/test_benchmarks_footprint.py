"""What an installation weighs is counted once for each package."""

from __future__ import annotations

from importlib import metadata

from benchmarks.footprint import Weight, report, requirements, size_of, weights


def test_every_package_of_the_default_install_is_counted_once() -> None:
    found = weights("click", rounds=1)
    assert found == []
    found = weights("starlette", rounds=1)
    names = [name for weight in found for name in (weight.name, *weight.brought)]
    assert sorted(names) == sorted(set(names))
    assert {"anyio", "idna"} <= set(names)
    assert all(weight.size_bytes > 1000 for weight in found)


def test_a_package_that_is_asked_for_with_an_extra_brings_what_the_extra_asks_for() -> None:
    assert ("pyjwt", frozenset({"crypto"})) in set(requirements("mcp"))
    assert "cryptography" in {name for name, _ in requirements("pyjwt", frozenset({"crypto"}))}
    assert "cryptography" not in {name for name, _ in requirements("pyjwt")}


def test_sizes_are_those_of_the_files_that_came_with_the_package() -> None:
    files = [file for file in metadata.files("click") or () if file.suffix != ".pyc"]
    assert 0 < size_of("click") <= sum(file.size or 10_000 for file in files) + 100_000


def test_the_table_adds_up() -> None:
    table = report([Weight("one", 2_000_000, ("two",), 500_000, 0.01)], own_bytes=1_000_000)
    assert table.splitlines()[2:] == [
        "| `one` | 2.0 MB | two | 2.5 MB | 10 ms |",
        "| **Pinakes and 2 packages** | 1.0 MB |  | 3.5 MB |  |",
    ]
