"""What was probably meant: the quick way of finding a typo finds what the thorough one does."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pinakes.check.nearest import _FEW_ASKED, _Names
from pinakes.fuzzy import FuzzyMatcher
from pinakes.records import Name, NameForm, name_key

WORDS = st.text("abcde", min_size=1, max_size=7)


@given(st.lists(WORDS, max_size=25), WORDS)
def test_a_typo_is_found_with_and_without_an_index_of_all_names(known: list[str], typed: str) -> None:
    names = [Name(name_key(one), NameForm.PATH, f"{one}.md", f"{one}.md") for one in dict.fromkeys(known)]
    at_once, later = _Names(names, FuzzyMatcher()), _Names(names, FuzzyMatcher())
    for _ in range(_FEW_ASKED):
        later.nearest("no such name", "no such name")
    assert at_once.nearest(typed, f"{typed}.md") == later.nearest(typed, f"{typed}.md")
