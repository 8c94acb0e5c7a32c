"""Questions about the past: search over commits, filters, hashes, and what is said when there is no history."""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path

import pytest

import pinakes
from kits.git import Repo, needs_git
from kits.hostile import pinakes_here
from kits.trees import write_tree
from pinakes.errors import ConfigError, ExtraMissing, NotFound
from pinakes.passages import passage
from pinakes.records import HISTORY, Filter, Query

pytestmark = needs_git


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    repo = Repo(tmp_path / "farm")
    repo.commit("Plough the northern field", {"field/north.md": "# North\n\nploughed\n"})
    repo.commit("Sow barley", {"field/north.md": "# North\n\nbarley\n", "seed/stock.txt": "less\n"}, who="Grace Hopper")
    repo.commit("Repair the barn roof\n\nThe storm in March took half of it.", {"barn/roof.txt": "new\n"})
    return repo


def titles(ran_out: str) -> list[str]:
    return [hit["title"] for hit in json.loads(ran_out)["hits"]]


def test_a_question_finds_the_commit_that_answers_it(repo: Repo) -> None:
    ran = pinakes_here(repo.folder, "history", "what did the storm do?")
    assert ran.code == 0
    first = ran.out.splitlines()[0]
    assert first.startswith(f"1. history:{repo.head()}:1-")
    assert first.endswith("  2026-01-03 Repair the barn roof")


def test_without_a_question_the_newest_that_pass_the_filters_are_shown(repo: Repo) -> None:
    def found(*words: str) -> list[str]:
        return titles(pinakes_here(repo.folder, "history", "--json", *words).out)

    assert found() == ["Repair the barn roof", "Sow barley", "Plough the northern field"]
    assert found("--limit", "1") == ["Repair the barn roof"]
    assert found("--file", "field/**") == ["Sow barley", "Plough the northern field"]
    assert found("--file", "seed", "--file", "barn/*.txt") == ["Repair the barn roof", "Sow barley"]
    assert found("--author", "grace") == ["Sow barley"]
    assert found("--after", "2026-01-02") == ["Repair the barn roof", "Sow barley"]
    assert found("--before", "2026-01-02") == ["Plough the northern field"]
    assert found("--after", "1767348000") == ["Repair the barn roof", "Sow barley"]  # seconds, within 2026-01-02
    assert pinakes_here(repo.folder, "history", "--author", "nobody").code == 1


@pytest.mark.parametrize("when", ["17180000", "2026-99-99", "soon"])
def test_what_is_no_date_is_refused_without_a_question_too(repo: Repo, when: str) -> None:
    ran = pinakes_here(repo.folder, "history", "--after", when)
    assert ran.code == 2
    assert f"after: “{when}” is not a valid date. Write a year, a month or a day: 2026, 2026-01-31." in ran.error
    with pinakes.open(repo.folder) as library, pytest.raises(ConfigError, match="is not a valid date"):
        library.sync()
        library.refresh(corpora=(HISTORY,))
        library.history(Query("", Filter(after=when)))


def test_filters_hold_for_questions_too(repo: Repo) -> None:
    ran = pinakes_here(repo.folder, "history", "barley field", "--file", "seed/**", "--json", "--anyway")
    assert set(titles(ran.out)) == {"Sow barley"}


def test_a_commit_is_read_by_the_beginning_of_its_hash(repo: Repo) -> None:
    value = repo.head()
    whole = pinakes_here(repo.folder, "read", f"history:{value}")
    assert "The storm in March took half of it." in whole.out
    assert pinakes_here(repo.folder, "read", f"history:{value[:6].upper()}").out == whole.out
    assert "+new" in pinakes_here(repo.folder, "read", f"history:{value[:8]}#diff").out
    assert titles(pinakes_here(repo.folder, "history", value[:9], "--json").out) == ["Repair the barn roof"]
    missing = pinakes_here(repo.folder, "read", "history:0000")
    assert (missing.code, "There is no document" in missing.error) == (1, True)


def test_documents_are_searched_without_commits_unless_they_are_asked_for(repo: Repo) -> None:
    with pinakes.open(repo.folder) as library:
        library.sync()
        assert {hit.ref.corpus for hit in library.search("barley").hits} == {"docs"}
        both = library.search(Query("barley", Filter(corpora=("docs", HISTORY))))
        assert {hit.ref.corpus for hit in both.hits} == {"docs", HISTORY}


def test_what_is_committed_later_is_found_and_what_is_rebased_away_is_gone(repo: Repo) -> None:
    assert pinakes_here(repo.folder, "history", "barley").code == 0
    repo.commit("Buy a tractor", {"barn/tractor.txt": "red\n"})
    assert titles(pinakes_here(repo.folder, "history", "tractor", "--json").out)[0] == "Buy a tractor"
    repo.git("reset", "-q", "--hard", "HEAD~1")
    assert "Buy a tractor" not in titles(pinakes_here(repo.folder, "history", "--json").out)


def test_many_commits_are_read_by_several_processes(tmp_path: Path) -> None:
    stream = b"".join(
        b"commit refs/heads/main\ncommitter A <a@b> %d +0000\ndata <<E\nnumber %d\nE\nM 644 inline f%d\ndata 2\n%d\n\n"
        % (1_700_000_000 + number, number, number % 7, number % 10)
        for number in range(900)
    )
    repo = Repo(tmp_path)
    subprocess.run(["git", "fast-import", "--quiet"], cwd=tmp_path, input=stream, check=True)
    with pinakes.open(repo.folder, {"sync.workers": 2}) as library:
        report = library.sync(corpora=[HISTORY])
        assert (len(report.put), report.failed) == (900, ())
        newest = library.history(Query("", Filter(corpora=(HISTORY,)), limit=3))
        assert [hit.title for hit in newest.hits] == ["number 899", "number 898", "number 897"]
        begins = Counter(ref.path[:4] for ref in report.put).most_common(1)[0]
        assert begins[1] > 1  # or there is nothing to be in doubt about
        with pytest.raises(NotFound, match="matches several commits"):
            passage(library.corpus(HISTORY).index, HISTORY, begins[0])


def test_where_there_is_no_repository_the_next_step_is_named(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.md": "# A\n"})
    ran = pinakes_here(tmp_path, "history", "anything", "--root", str(tmp_path))
    assert ran.code == 1
    assert (
        ran.error == f"pinakes: There is no git repository in {tmp_path}. Name a folder that is in one with --root.\n"
    )
    with pinakes.open(tmp_path) as library, pytest.raises(NotFound, match="no git repository"):
        library.history(Query(""))


def test_history_that_is_switched_off_says_so(repo: Repo) -> None:
    with (
        pinakes.open(repo.folder, {"history.enabled": False}) as library,
        pytest.raises(NotFound, match="switched off"),
    ):
        library.history(Query(""))


def test_without_git_everything_but_the_history_works(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repo.folder / "nowhere"))
    ran = pinakes_here(repo.folder, "history", "barley")
    assert (ran.code, "git is not installed" in ran.error, "Install git" in ran.error) == (2, True, True)
    assert pinakes_here(repo.folder, "search", "barley").code == 0
    monkeypatch.undo()
    assert pinakes_here(repo.folder, "history", "barley").code == 0


def test_an_index_made_before_git_went_away_still_answers_and_says_what_is_missing(
    repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert pinakes_here(repo.folder, "history", "barley").code == 0
    monkeypatch.setenv("PATH", str(repo.folder / "nowhere"))
    ran = pinakes_here(repo.folder, "history", "barley")
    assert ran.code == 0
    assert "Without part of the history: git is not installed" in ran.out


def test_git_that_is_missing_is_an_extra_that_is_missing(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(repo.folder / "nowhere"))
    with pinakes.open(repo.folder) as library:
        library.sync(corpora=[HISTORY])
        with pytest.raises(ExtraMissing, match="git is not installed"):
            library.history(Query("barley"))


def test_a_commit_is_one_answer_whether_its_message_or_its_difference_is_found(repo: Repo) -> None:
    repo.commit("Buy a harrow\n\nIt breaks clods of clay.", {"tools/harrow.md": "# Harrow\n\nA harrow breaks clods.\n"})
    with pinakes.open(repo.folder) as library:
        library.sync()
        query = Query("which harrow breaks clods", Filter((HISTORY,)), limit=10)
        for hits in (library.history(query).hits, library.search(query).hits):
            assert hits[0].title == "Buy a harrow"
            assert len(hits) == len({hit.ref.path for hit in hits})


def imported(repo: Repo, count: int) -> None:
    """So many commits at once."""
    stream = ""
    for number in range(count):
        message = f"Work {number}: fields near the river are harrowed, duplicates of sacks are counted"
        text = f"# {number}\n\nSacks near the barn {number}.\n"
        stream += f"commit refs/heads/main\ncommitter Ada <ada@example.org> {1767225600 + number} +0000\n"
        stream += f"data {len(message)}\n{message}\nM 100644 inline f{number}.md\ndata {len(text)}\n{text}\n"
    repo.git("fast-import", "--quiet", "--force", stdin=stream.encode())


def test_words_that_no_commit_holds_do_not_empty_a_question_that_has_answers(repo: Repo) -> None:
    imported(repo, 120)
    with pinakes.open(repo.folder) as library:
        library.sync()
        found = library.history("Introduced near duplicates")
        assert len(found.hits) == 10
        assert found.unknown == ("introduced",)
        assert found.query.text == "Introduced near duplicates"
        nothing = library.history("purple dishwasher river")  # most of it is unknown: this is about something else
        assert nothing.hits == ()
        assert nothing.abstained


def test_text_alone_is_a_question_and_nothing_asks_for_the_newest(repo: Repo) -> None:
    with pinakes.open(repo.folder) as library:
        library.sync()
        assert library.history("storm").hits[0].title == "Repair the barn roof"
        assert library.history().hits[0].title == "Repair the barn roof"


def test_repositories_in_excluded_folders_are_not_read(repo: Repo) -> None:
    Repo(repo.folder / "vendor" / "plough").commit("Sharpen the coulter", {"a.md": "# Sharp\n"})
    for exclude, titles_found in (((), {"Sharpen the coulter"}), (("vendor/",), set())):
        with pinakes.open(repo.folder, {"sources.exclude": exclude}) as library:
            library.sync()
            found = {hit.title for hit in library.history(Query("", Filter((HISTORY,)), limit=50)).hits}
            assert found & {"Sharpen the coulter"} == titles_found
