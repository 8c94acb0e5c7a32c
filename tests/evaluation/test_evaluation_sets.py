"""Sets of questions in their formats, asked of real libraries."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from kits.trees import write_tree
from pinakes.errors import ConfigError
from pinakes.evaluation.questions import as_line, load_questions
from pinakes.evaluation.sets import file_name, kept_place, open_set
from pinakes.evaluation.verdicts import JudgingLevel
from pinakes.serve.cli import commands

CORPUS = {
    "corpus/fruit/apple.md": "# Apples\n\nApples ripen in autumn and keep until spring in a cool cellar.\n\n"
    "## Storage\n\nLay apples side by side on straw so that none of them touches another.\n",
    "corpus/fruit/pear.md": "# Pears\n\nPears are picked unripe and turn soft within days in a warm room.\n",
    "corpus/tools/ladder.md": "# Ladders\n\nA ladder stands at an angle of seventy degrees against a strong branch.\n",
}
QUESTIONS = [
    {
        "id": "1",
        "query": "apples straw",
        "style": "word",
        "relevant": [{"path": "fruit/apple.md", "heading": "storage"}],
    },
    {"id": "2", "query": "ladder angle", "style": "word", "relevant": [{"path": "tools/ladder.md", "heading": ""}]},
    {"id": "3", "query": "zeppelin mooring", "style": "none", "relevant": []},
]


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))


@pytest.fixture
def small_set(tmp_path: Path) -> Path:
    lines = "".join(f"{json.dumps(one)}\n" for one in QUESTIONS)
    return write_tree(tmp_path / "set", {**CORPUS, "queries.jsonl": lines})


def run(*arguments: object) -> Result:
    done = CliRunner().invoke(commands, ["eval", *map(str, arguments)], catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done


def test_a_set_is_asked_and_judged(small_set: Path) -> None:
    told = json.loads(run(small_set, "--profile", "fast", "--json").stdout)
    assert [(row["style"], row["questions"], row["ndcg"]) for row in told["rows"]] == [
        ("word", 2, 1.0),
        ("all", 2, 1.0),
    ]
    assert (told["silence"]["left_empty"], told["silence"]["wrongly_empty"]) == (1, 0)
    assert [one["hits"] for one in told["questions"]][2] == 0


def test_a_set_is_never_written_to(small_set: Path) -> None:
    before = sorted(small_set.rglob("*"))
    run(small_set, "--profile", "fast")
    assert sorted(small_set.rglob("*")) == before
    assert kept_place(small_set).is_dir()


def test_a_file_of_questions_is_asked_of_the_library_at_the_root(small_set: Path, tmp_path: Path) -> None:
    (small_set / "queries.jsonl").rename(tmp_path / "mine.jsonl")
    told = run(tmp_path / "mine.jsonl", "--root", small_set / "corpus", "--profile", "fast").stdout
    assert told.splitlines()[2].split() == ["all", "2", "1.000", "1.000", "1.000", "1.000", "1.000"]


def test_a_run_can_be_scored_by_others(small_set: Path, tmp_path: Path) -> None:
    run(small_set, "--profile", "fast", "--run", tmp_path / "run.jsonl")
    first, *_, last = [json.loads(line) for line in (tmp_path / "run.jsonl").read_text().splitlines()]
    assert (first["results"][0]["path"], first["results"][0]["heading"]) == ("fruit/apple.md", "storage")
    assert last == {"id": "3", "results": []}


def test_a_set_in_the_format_of_beir_is_judged_by_document(tmp_path: Path) -> None:
    place = write_tree(
        tmp_path / "beir",
        {
            "corpus.jsonl": '{"_id": "a/1", "title": "Same", "text": "about apples"}\n'
            '{"_id": "a:1", "title": "Same", "text": "about pears"}\n'
            '{"_id": "c", "title": "", "text": "# a comment\\ndef plum(): pass"}\n',
            "queries.jsonl": '{"_id": "q", "text": "pears"}\n{"_id": "r", "text": "plum"}\n{"_id": "x", "text": ""}\n',
            "qrels.tsv": "query-id\tcorpus-id\tscore\nq\ta:1\t1\nr\tc\t1\nr\ta/1\t0\n",
        },
    )
    held = open_set(place, tmp_path / "kept")
    assert held.level is JudgingLevel.DOCUMENT
    assert [one.id for one in held.questions] == ["q", "r"]
    assert held.root is not None
    assert len(list(held.root.iterdir())) == 3
    assert run(place, "--profile", "fast").stdout.splitlines()[1].split()[:3] == ["all", "2", "1.000"]


def test_ids_become_names_of_files_that_never_meet() -> None:
    ids = ["a/b", "a:b", "../x", "a b", "a%2Fb", "x" * 500, "y" * 500, "é"]
    names = {file_name(one, has_title=True) for one in ids}
    assert len(names) == len(ids)
    assert all("/" not in name and len(name) < 200 for name in names)


@pytest.mark.parametrize(
    ("file", "content", "problem"),
    [
        ("qrels.tsv", "head\nonly two\tcolumns\n", "line 2 is not a judgement"),
        ("queries.jsonl", "{\n", "line 1 is not JSON"),
        ("corpus.jsonl", '{"_id": "a"}\n', "there is no 'text'"),
    ],
)
def test_a_broken_line_is_named(tmp_path: Path, file: str, content: str, problem: str) -> None:
    files = {
        "corpus.jsonl": '{"_id": "a", "text": "t"}\n',
        "queries.jsonl": '{"_id": "q", "text": "t"}\n',
        "qrels.tsv": "head\nq\ta\t1\n",
    }
    place = write_tree(tmp_path / "set", {**files, file: content})
    with pytest.raises(ConfigError, match=problem):
        open_set(place, tmp_path / "kept")


def test_questions_made_from_the_documents_are_saved_and_read_back(small_set: Path, tmp_path: Path) -> None:
    run(small_set, "--self", "--profile", "fast", "--save", tmp_path / "made.jsonl")
    made = load_questions(tmp_path / "made.jsonl")
    assert "".join(f"{as_line(one)}\n" for one in made) == (tmp_path / "made.jsonl").read_text()


def test_a_set_must_be_named_or_made(tmp_path: Path) -> None:
    done = CliRunner().invoke(commands, ["eval", "--root", str(tmp_path)])
    assert done.exit_code == 2
    assert "--self" in done.output
