"""How far search may rely on an embedder is found on repositories, and search goes by it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from msgspec import to_builtins
from training.__main__ import main
from training.asking import ABSENT, asked_about, held_out
from training.calibrate import Heard, calibrate, fit_abstention, top
from training.logistic import fit, fit_signed
from training.reading import Lists
from training.reading import fit as find
from training.taken import take_out

import pinakes
from kits.bert import write_model
from kits.trees import write_tree
from pinakes.errors import ConfigError
from pinakes.neural import load_embedder
from pinakes.neural.word_reader import FEATURES
from pinakes.records import Abstention, Evidence, Query, Traits

SUBJECTS = {
    "garden": ("tomato", "soil", "spade", "hedge", "compost", "seedling", "pruning", "orchard", "mulch", "greenhouse"),
    "harbour": ("anchor", "tide", "mooring", "ferry", "lighthouse", "cargo", "pilot", "dredger", "quay", "beacon"),
}


def repository(root: Path, subject: str) -> Path:
    words = SUBJECTS[subject]
    pages = {}
    for number, word in enumerate(words):
        near, far = words[(number + 1) % len(words)], words[(number + 3) % len(words)]
        pages[f"{word}.md"] = (
            f"# All about the {word}\n\nEvery {word} needs care from early spring until the last days of autumn. "
            f"People who look after a {word} learn to listen to the weather, to the {near} and to each other.\n\n"
            f"## Repairing a broken {word}\n\nWhoever owns a {word} will sooner or later have to mend it by hand. "
            f"Keep spare parts dry, and ask a neighbour who has done it before you begin with the work. "
            f"Nothing is as tiresome as a tool that slips, so hold everything in place with clamps or with a rope. "
            f"The cost of a new {word} is three times that of its repair, and a {near} costs more still. "
            f"Before you start, it helps to know how the [work with a {far}]({far}.md) is done properly by others.\n"
        )
    return write_tree(root / subject, pages)


@pytest.fixture
def repositories(tmp_path: Path) -> list[Path]:
    return [repository(tmp_path, subject) for subject in SUBJECTS]


def test_a_logistic_finds_the_constants_it_was_drawn_from() -> None:
    rng = np.random.default_rng(3)
    truth = np.array([-1.5, 2.0, 0.8, -1.2, 4.0])
    parts = rng.normal(0.3, 0.7, (60_000, 4))
    chance = 1.0 / (1.0 + np.exp(-(truth[0] + parts @ truth[1:])))
    is_answer = (rng.random(len(parts)) < chance).astype(float)
    assert np.abs(fit(parts, is_answer, np.ones(len(parts))) - truth).max() < 0.1


def test_a_part_that_would_count_the_wrong_way_is_left_out() -> None:
    rng = np.random.default_rng(4)
    parts = rng.normal(0.0, 1.0, (20_000, 2))
    is_answer = (rng.random(len(parts)) < 1.0 / (1.0 + np.exp(-parts @ np.array([2.0, 1.0])))).astype(float)
    found = fit_signed(parts, is_answer, np.ones(len(parts)), np.array([1.0, -1.0]))
    assert found[2] == 0.0
    assert found[1] > 1.0


def test_the_bias_is_moved_until_two_in_a_hundred_are_lost() -> None:
    rng = np.random.default_rng(5)

    def some(closeness: float) -> tuple[Evidence, ...]:
        rows = rng.normal([0.5, 0.5, 0.5, closeness], 0.1, (500, 4)).tolist()
        return tuple(Evidence(one, two, three, four, 0.0) for one, two, three, four in rows)

    heard = [Heard(some(0.6), some(0.1)), Heard(some(0.4), some(0.1))]
    found, _ = fit_abstention(heard)
    lost = [sum(_belief(found, one) < 0.02 for one in each.answered) for each in heard]
    assert lost[0] < lost[1]
    assert 8 <= lost[1] <= 10  # constants are rounded


def _belief(fitted: Abstention, one: Evidence) -> float:
    parts = fitted.coverage * one.coverage + fitted.strength * one.strength + fitted.unseen * one.unseen
    return float(1.0 / (1.0 + np.exp(-(fitted.bias + parts + fitted.closeness * one.closeness))))


def test_the_best_share_is_where_the_figures_are_highest_but_for_chance() -> None:
    humped = {share / 10: 0.6 - (share / 10 - 0.45) ** 2 for share in range(2, 9)}
    assert top(humped) == 0.45
    assert 0.4 <= top({**humped, 0.7: 0.6}) <= 0.55
    assert top({share: 0.5 + share / 10 for share in humped}) == 0.8


def test_what_is_asked_is_no_longer_in_the_documents(repositories: list[Path]) -> None:
    with pinakes.open(repositories[0]) as library:
        library.sync(corpora=("docs",))
        questions, left = take_out(library.corpus().store, 4)
        again = take_out(library.corpus().store, 4)
    assert (questions, left) == again
    assert {one.style for one in questions} == {"heading", "sentence", "around"}
    text = b"\n".join(left.values()).decode()
    for one in questions:
        assert one.text not in text.replace("](", "] (")
        assert one.relevant[0].path in left


def test_the_questions_of_a_repository_have_answers_in_what_is_left(repositories: list[Path], tmp_path: Path) -> None:
    corpus = held_out(repositories[1], tmp_path / "kept", per_style=5)
    reader = corpus.library.corpus().store
    outlines = {outline.ref.path: {one.anchor for one in outline.sections} for outline in reader.outlines("docs")}
    assert all(one.heading in outlines[one.path] for question in corpus.questions for one in question.relevant)
    corpus.library.close()


def test_one_repository_is_not_enough(repositories: list[Path], tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="--held-out"):
        calibrate(load_embedder("static"), [held_out(repositories[0], tmp_path / "kept")])


def test_a_calibrated_model_is_used_as_it_was_found(
    repositories: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    model = write_model(tmp_path / "tiny")
    folders = [str(one) for one in repositories]
    monkeypatch.setattr("sys.argv", ["training", "calibrate", str(model), "--held-out", *folders])
    main()
    assert "dense_weight" in capsys.readouterr().out
    written = json.loads((model / "pinakes.json").read_text())
    found = load_embedder(str(model)).traits
    assert written == to_builtins(found)
    assert found.abstention != Traits().abstention
    with pinakes.open(repositories[0], {"neural.model": str(model)}) as library:
        library.sync()
        results = library.search(Query("who looks after it all", abstain=False))
    share = found.dense_weight
    assert (
        next(one.note for one in results.stages if one.name == "fuse")
        == f"words × {1 - share:.2f}, meaning × {share:.2f}"
    )


def test_traits_of_the_static_table_are_written_where_they_are_wanted(
    repositories: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = [str(one) for one in repositories]
    out = tmp_path / "found"
    monkeypatch.setattr("sys.argv", ["training", "calibrate", "static", "--held-out", *folders, "--out", str(out)])
    main()
    written = json.loads((out / "static.json").read_text())
    assert 0.2 <= written["dense_weight"] <= 0.8
    assert 0.0 <= written["noise"] < 1.0
    assert written["abstention"].keys() == set(Abstention.__struct_fields__)


def test_questions_of_people_find_what_a_missing_page_looks_like(
    repositories: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    sections, questions = [], []
    for word in SUBJECTS["garden"]:
        text = (repositories[0] / f"{word}.md").read_text().partition("## ")[2]
        said = {"title": word, "path": [f"Repairing a broken {word}"], "text": text}
        sections.append({"id": word, "source": "x", "file": f"garden/{word}.md", **said})
        questions.append({"id": word, "q": [f"my {word} fell apart", f"mend {word}"]})
    asked = tmp_path / "asked"
    files = {"sections.jsonl": sections, "questions.jsonl": questions}
    write_tree(asked, {name: "".join(f"{json.dumps(row)}\n" for row in rows) for name, rows in files.items()})
    corpus = asked_about(repositories[0], tmp_path / "kept", asked)
    paths = {document.path for document in corpus.library.corpus().store.listing("docs")}
    absent = [one for one in corpus.questions if one.style == ABSENT]
    corpus.library.close()
    assert 0 < len(absent) < len(corpus.questions) == 2 * len(SUBJECTS["garden"])
    assert len(paths) == len(SUBJECTS["garden"]) - len(absent) // 2
    assert all(judged.path in paths for one in corpus.questions for judged in one.relevant)
    folders = [str(one) for one in repositories]
    out = ("--out", str(tmp_path / "found"))
    monkeypatch.setattr(
        "sys.argv", ["training", "calibrate", "static", "--held-out", *folders, "--asked", str(asked), *out]
    )
    main()
    assert "whose page was left out" in capsys.readouterr().out


def test_the_weights_of_the_reranker_are_found_on_repositories_and_each_is_told_of(
    repositories: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "weights.json"
    folders = [str(one) for one in repositories]
    monkeypatch.setattr("sys.argv", ["training", "reread", *folders, "--model", "static", "--out", str(out)])
    main()
    told = capsys.readouterr().out.splitlines()
    assert [line.partition(":")[0] for line in told] == list(SUBJECTS)
    assert tuple(json.loads(out.read_text())) == FEATURES
    again = tmp_path / "again.json"
    monkeypatch.setattr("sys.argv", ["training", "reread", *folders, "--model", "static", "--out", str(again)])
    main()
    assert again.read_bytes() == out.read_bytes()


def test_the_weights_favour_what_answers_are_made_of() -> None:
    rng = np.random.default_rng(5)
    inputs = rng.random((300, 24, 1 + len(FEATURES)))
    answers = np.zeros(inputs.shape[:2], dtype=bool)
    answers[np.arange(300), (inputs[:, :, 0] + inputs[:, :, 1]).argmax(axis=1)] = True
    made = Lists("made", inputs, np.ones_like(answers), answers)
    weights = find([made])
    plain = np.eye(1 + len(FEATURES))[0]
    assert made.gains(weights).mean() > made.gains(plain).mean() + 0.1
    assert weights[1] > 5 * np.abs(weights[2:]).max()
