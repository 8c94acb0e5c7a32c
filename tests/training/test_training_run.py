"""Training from end to end on a small corpus, with small models that know nothing: material, a run, an export."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from training.__main__ import main
from training.material import load

from kits.bert import WIDTH, random_weights, scorer_weights, write_safetensors, write_settings
from kits.trees import write_tree
from pinakes.neural import load_embedder

pytest.importorskip("torch")
pytest.importorskip("transformers")

SECTIONS = 40
SAID = "Water comes to harbour no{0:04} twice a day. The access{0:04} to it is open. Tokens rotate in bin{0:04}. "
PAGE = "# Harbour\n\n" + "".join(f"## Tide {n}\n\n{SAID.format(n) * 2}\n\n" for n in range(SECTIONS))


def write_bases(place: Path) -> tuple[Path, Path]:
    """An embedder and a cross-encoder."""
    base, judge = place / "base", place / "judge"
    for folder in (base, judge):
        folder.mkdir(parents=True)
    write_settings(base)
    write_safetensors(base / "model.safetensors", random_weights())
    write_settings(judge, architectures=["BertForSequenceClassification"], num_labels=1)
    write_safetensors(judge / "model.safetensors", scorer_weights())
    return base, judge


def write_asked(place: Path, file: str) -> Path:
    """Questions that people wrote for the sections of a page."""
    sections, questions = [], []
    for number in range(SECTIONS):
        said = {"title": "Harbour", "path": ["Harbour", f"Tide {number}"], "text": SAID.format(number) * 2}
        sections.append({"id": f"s{number}", "source": "x", "file": file, **said})
        questions.append({"id": f"s{number}", "q": [f"when can I sail from {number}", "how to sail", f"tide {number}"]})
    place.mkdir(exist_ok=True)
    for name, rows in (("sections", sections), ("questions", questions)):
        (place / f"{name}.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    return place


def test_models_are_made_from_documents_and_questions_in_three_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base, judge = write_bases(tmp_path)
    write_tree(tmp_path / "sea", {"docs/harbour.md": PAGE})
    write_tree(tmp_path / "river", {"docs/harbour.md": PAGE.replace("Water", "Nothing").replace("bin", "mill")})
    asked = write_asked(tmp_path / "asked", "docs/harbour.md")
    material, out, made = tmp_path / "material", tmp_path / "out", tmp_path / "made"

    def step(*arguments: object) -> None:
        monkeypatch.setattr("sys.argv", ["training", *map(str, arguments)])
        main()

    step("prepare", tmp_path / "sea", "--held-out", tmp_path / "river", "--asked", asked, "--out", material)
    read = load(material)
    assert {"written", "hurried", "heading"} <= {pair.kind for pair in read.pairs}
    assert [exam.name for exam in read.exams] == ["written river"]
    assert len(read.exams[0].questions) == 3 * SECTIONS

    variants = ("asked", "asked-listed", "asked-table", "asked-table-near", "rerank")
    step("run", material, "--base", base, "--judge", judge, "--out", out, "--tiny", "--variants", *variants)
    noted = [json.loads(line)["variant"] for line in (out / "results.jsonl").read_text().splitlines()]
    assert {"the base as it is", "judge, taught", "judge, half taught", *variants, "all of these"} <= set(noted)
    assert np.load(out / "asked-table" / "rows.npy").shape[1] == WIDTH

    step("export", "--transformer", out, "--base", base, "--to", made)
    assert load_embedder(f"{made}/").encode(["how to rotate tokens"]).shape == (1, 32)
