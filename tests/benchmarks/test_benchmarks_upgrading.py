"""Quality while vectors are replaced is measured on what would have been there."""

from __future__ import annotations

from pathlib import Path

import pytest
from benchmarks.upgrading import measure

import pinakes
from kits.trees import write_tree
from pinakes.errors import ExtraMissing
from pinakes.evaluation.questions import Judgement, Question
from pinakes.evaluation.verdicts import JudgingLevel
from pinakes.neural import finer_model

pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
try:
    finer_model("auto")
except ExtraMissing:
    pytest.skip("the finer model's weights are not there", allow_module_level=True)


def test_every_share_is_asked_and_the_ends_are_the_two_models_alone(tmp_path: Path) -> None:
    topics = ("tide", "harbour", "anchor", "lantern", "rope", "chart")
    pages = {f"{word}.md": f"# {word.title()}\n\nAll about the {word}.\n" for word in topics}
    root = write_tree(tmp_path / "docs", pages)
    questions = [Question(word, word, "plain", (Judgement(f"{word}.md", "", 1),)) for word in topics]
    with pinakes.open(root, {"neural.model": "docs"}) as library:
        library.sync()
        found = measure(library, questions, JudgingLevel.DOCUMENT, (0.0, 0.5, 1.0))
    assert [one.share for one in found] == [0.0, 0.5, 1.0]
    assert [one.ndcg for one in found] == [1.0, 1.0, 1.0]
