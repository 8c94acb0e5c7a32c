"""Globs over paths, against the plain way: name by name, every possible length of ``**`` tried."""

from __future__ import annotations

from fnmatch import fnmatchcase

from hypothesis import given
from hypothesis import strategies as st

from pinakes.store.globs import glob

names = st.text("ab-]!", min_size=1, max_size=4)
paths = st.lists(names, min_size=1, max_size=5).map("/".join)
wild = st.text("ab*?[]!-", min_size=1, max_size=6).filter(lambda name: name != "**")
patterns = st.lists(wild | st.just("**"), min_size=1, max_size=5).filter(
    lambda names: any(letter in "".join(names) for letter in "*?[")
)


def plainly(pattern: list[str], path: list[str]) -> bool:
    if not pattern or not path:
        return not pattern and not path
    if pattern[0] == "**":
        rest = pattern[1:]
        return not rest or any(plainly(rest, path[skipped:]) for skipped in range(len(path)))
    return fnmatchcase(path[0], pattern[0]) and plainly(pattern[1:], path[1:])


@given(patterns, paths)
def test_a_glob_matches_what_its_names_match(pattern: list[str], path: str) -> None:
    assert glob("/".join(pattern)).matches(path) == plainly(pattern, path.split("/"))


@given(st.text("ab*?[]!^-/\\.&|~{}()$\n\udce9", max_size=12) | st.text(max_size=12), st.lists(paths, max_size=8))
def test_any_text_is_a_pattern_and_finds_the_same_in_a_list(pattern: str, many: list[str]) -> None:
    found, ordered = glob(pattern), sorted(many)

    assert found.positions(ordered) == [place for place, path in enumerate(ordered) if found.matches(path)]
