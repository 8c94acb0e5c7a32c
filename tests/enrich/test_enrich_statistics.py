"""Counting a corpus."""

from __future__ import annotations

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from kits.enrich import parsed
from pinakes.enrich import Statistics, count


def test_a_word_counts_once_a_section() -> None:
    page = parsed("# A\n\nShard shards SHARD.\n\n## B\n\nAnother shard.\n\n## C\n\nNothing.\n")
    statistics = count([page])
    assert statistics.sections == 4
    assert statistics.words == {"shard": 2}


def test_headings_code_blocks_and_function_words_are_not_counted() -> None:
    page = parsed("# Replica\n\nThe `quorum` of a leader.\n\n```\nreplica\n```\n")
    assert count([page, page]).words == {"leader": 2, "quorum": 2}


def test_verbs_are_learned_from_the_words_before_them() -> None:
    page = parsed("# Page\n\nTo view logs, click it. Click the button. You can click again. The view of a button.\n")
    statistics = count([page] * 3)
    assert statistics.verbal("click") == 1
    assert statistics.verbal("view") == 0.5
    assert statistics.verbal("button") == 0


def test_statistics_read_back_what_they_print() -> None:
    statistics = count([parsed("# A\n\nÉclair 設定 shard.\n\n## B\n\nÉclair 設定 shard.\n")])
    assert statistics.words == {"éclair": 2, "設定": 2, "shard": 2}
    again = Statistics.loads(statistics.dumps())
    assert again == statistics
    assert again.digest == statistics.digest
    assert again.digest != count([]).digest


@pytest.mark.parametrize("text", ["", "{", "[]", "null", "[1,2]", '[1,2,{"a":"b"}]', "[1,2,3]"])
def test_what_is_no_statistics_reads_as_none(text: str) -> None:
    assert Statistics.loads(text) == Statistics()


VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text()),
    lambda parts: st.one_of(st.lists(parts, max_size=4), st.dictionaries(st.text(), parts, max_size=4)),
    max_leaves=8,
)
NEARLY = st.tuples(VALUES, VALUES, st.dictionaries(st.text(), VALUES, max_size=4))


@given(st.one_of(st.text(), VALUES.map(json.dumps), NEARLY.map(json.dumps)))
@example("[Infinity,1,{}]")
@example("[" * 100_000)
def test_any_setting_text_reads_as_statistics_that_read_back_or_as_none(text: str) -> None:
    statistics = Statistics.loads(text)
    assert Statistics.loads(statistics.dumps()) == statistics
    if not text.lstrip().startswith("["):
        assert statistics == Statistics()


def test_the_table_stays_bounded() -> None:
    pages = [
        parsed(" ".join(f"word{number}x" for number in range(n, n + 30_000)), f"{n}.md") for n in (0, 0, 30_000, 30_000)
    ]
    statistics = count(pages)
    assert len(statistics.words) <= 50_000
    assert len(statistics.dumps()) < 2_000_000
