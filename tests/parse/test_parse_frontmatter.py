"""The fields before a document, and what must not be read from them."""

from __future__ import annotations

import json
from contextlib import suppress

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from pinakes.parse.fields import BadFields, Field, Plain, yaml_fields
from pinakes.parse.frontmatter import Frontmatter, frontmatter


def read(block: str, fence: str = "---") -> Frontmatter:
    return frontmatter(f"{fence}\n{block}\n{fence}\n# Body\n".encode(), 0)


def extra(found: Frontmatter) -> object:
    return json.loads(found.metadata.extra)


def test_known_fields_find_their_place() -> None:
    found = read(
        "title: The title\nsummary: What it says\nkeywords: a, b c\ntags: [x, '#y']\nalias: Other\n"
        "authors: [Ann, Bob]\ntype: guide\ndate: 2024-01-05\nupdated: 2024-02-03 10:00:00\nrelated: [a.md]\nslug: s"
    )
    kept = found.metadata
    assert (kept.title, kept.description, kept.keywords) == ("The title", "What it says", ("a", "b c"))
    assert (kept.aliases, kept.author, kept.category) == (("Other",), "Ann, Bob", "guide")
    assert (kept.created, kept.modified) == ("2024-01-05", "2024-02-03T10:00:00")
    assert (found.tags, found.related, extra(found)) == (("x", "y"), ("a.md",), {"slug": "s"})
    assert found.warnings == ()


def test_toml_between_pluses_is_read_too() -> None:
    found = read('title = "T"\ndate = 2024-01-05\ntags = ["a"]\n[more]\nn = 1\nwhen = 2024-01-05T10:00:00Z', "+++")
    assert (found.metadata.title, found.metadata.created, found.tags) == ("T", "2024-01-05", ("a",))
    assert extra(found) == {"more": {"n": 1, "when": "2024-01-05T10:00:00+00:00"}}


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("2024", "2024"),
        ("1.10", "1.10"),
        ("No", "No"),
        ("0x1F", "0x1F"),
        ("2024-13-45", "2024-13-45"),
        ("'a: b'", "a: b"),
    ],
)
def test_a_title_is_the_text_that_was_written(written: str, title: str) -> None:
    assert read(f"title: {written}").metadata.title == title


def test_where_two_names_mean_the_same_field_the_other_is_kept() -> None:
    found = read("summary: short\ndescription: long")
    assert found.metadata.description == "long"
    assert extra(found) == {"summary": "short"}


def test_values_that_do_not_fit_a_field_are_kept_as_they_are() -> None:
    found = read("title: {a: 1}\nauthor:\n  - name: Ann\ntags:\nn: 1\nf: 1.5\nb: true\nnothing: ~\n? [k]\n: v")
    assert (found.metadata.title, found.metadata.author, found.tags) == ("", "", ())
    kept = extra(found)
    assert isinstance(kept, dict)
    assert kept == {
        "title": {"a": 1},
        "author": [{"name": "Ann"}],
        "tags": None,
        "n": 1,
        "f": 1.5,
        "b": True,
        "nothing": None,
        "['k']": "v",
    }


@pytest.mark.parametrize(
    "block",
    [
        "title: [unclosed",
        "title: !!python/object/apply:os.system ['true']",
        "a: *nowhere",
        "a: &a [*a]",
        "# a note\ntitle: [unclosed",
        "a:\n\t- tab",
        "a: " + "[" * 500,
        "x: &a [1,1,1,1,1,1,1,1,1]\n"
        + "".join(f"x{n}: &a{n} [{','.join(['*a' + (str(n - 1) if n else '')] * 9)}]\n" for n in range(9)),
        "x: &a {k: 1}\n" + "".join(f"y{n}: &a {{<<: *a, k{n}: [*a, *a, *a, *a, *a, *a]}}\n" for n in range(9)),
    ],
)
def test_a_bad_block_costs_the_metadata_and_nothing_more(block: str) -> None:
    found = read(block)
    assert len(found.warnings) == 1
    assert found.metadata.extra == "{}"
    assert found.end == len(f"---\n{block}\n---\n".encode())


@pytest.mark.parametrize(
    "block", ["a = [" + "[" * 5000, "a." * 5000 + "b = 1", "a = {b = " * 3000, "a = " + "9" * 9000, "a = 1\na = 2"]
)
def test_a_bad_toml_block_costs_the_metadata_and_nothing_more(block: str) -> None:
    assert len(read(block, "+++").warnings) == 1


def test_a_huge_block_is_not_read() -> None:
    found = read("a: b\n" * 100_000)
    assert "longer" in found.warnings[0]


@pytest.mark.parametrize("text", ["---\ntitle: x\n# no end\n", "\n---\ntitle: x\n---\n", "--- a\nb: c\n---\n", "---"])
def test_what_is_not_at_the_very_start_or_never_ends_is_no_frontmatter(text: str) -> None:
    assert frontmatter(text.encode(), 0).end == 0


@pytest.mark.parametrize(
    "block", ["# not fields\ntext [x](x.md)\n", "Foo", "- only\n- a list", "# Heading", "*a* b: c\nd"]
)
def test_text_between_two_rules_is_no_frontmatter(block: str) -> None:
    found = read(block)
    assert (found.end, found.warnings) == (0, ())


@pytest.mark.parametrize("block", ["", "\n", "# title: left out", "#\n\n# b\na: b"])
def test_a_block_without_a_field_that_counts_is_still_frontmatter(block: str) -> None:
    found = read(block)
    assert (found.end, found.warnings) == (len(f"---\n{block}\n---\n"), ())


def test_numbers_that_json_cannot_hold_become_text() -> None:
    assert extra(read("a: 1e999\nb: 99999999999999999999999")) == {"a": "inf", "b": "99999999999999999999999"}
    assert extra(read("a = inf\nb = 0xFFFFFFFFFFFFFFFFFF", "+++")) == {"a": "inf", "b": "0xffffffffffffffffff"}


def texts(value: Field) -> object:
    """A field as the YAML library gives it when every scalar stays the text that was written."""
    if isinstance(value, dict):
        return {key: texts(inner) for key, inner in value.items()}
    if isinstance(value, list):
        return [texts(inner) for inner in value]
    return value.text if isinstance(value, Plain) else value


LINES = st.lists(
    st.sampled_from(
        (
            *("a: b", "k:", "  - x", "- y", "  k: v", "    deep: er", "a: 'q''q'", 'b: "d"', "c: [p, q]"),
            *("# note", "", "t: a: b", "u: x #c", "v:  y ", "w: -", "z: 'open", "  more", "- k: v", "-"),
            *("? q", "m: |", "n: 'x' y", "o: a:", "p: é", "a: c", "m: >-", "m: |-", "k: # note", "- x # c", "  # in"),
            *("a: <b>", "a: :c", "a: -1", "  two words", "  two: more ", "   deeper", "- 'x' # c", "- [a]", "  - 1.5"),
            *("- a: b", "k: 'it''s' # c", "e: ''", "f: null", "g: [1, é, x y]", "   ", "...", "h: >"),
        )
    ),
    max_size=8,
)


@given(LINES)
def test_fields_hold_what_the_yaml_library_loads(lines: list[str]) -> None:
    block = "\n".join(lines)
    try:
        found = yaml_fields(block)
    except BadFields:
        return
    assert texts(found) == (next(iter(yaml.load_all(block, Loader=yaml.CBaseLoader)), None) or {})


@given(st.text(alphabet="ab:-#'\"[], \n&*!|>%@`?{}.\t0é", max_size=40))
def test_any_text_is_fields_or_refused(block: str) -> None:
    with suppress(BadFields):
        assert isinstance(yaml_fields(block), dict)
