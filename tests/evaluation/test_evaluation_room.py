"""What an answer of 2,000 tokens holds, of the sections that answer."""

from __future__ import annotations

from pathlib import Path

import pinakes
from kits.trees import write_tree
from pinakes.evaluation.questions import Judgement, Question

LONG = "Nothing of this has to do with tokens. " * 12


def test_only_sections_of_the_best_grade_count(tmp_path: Path) -> None:
    files = {"answer.md": "# Tokens\n\nTokens expire after one hour.\n", "helps.md": f"# Weather\n\n{LONG}\n"}
    relevant = (Judgement("answer.md", "tokens", 2), Judgement("missing.md", "", 1))
    with pinakes.open(write_tree(tmp_path, files), {"neural.model": "static"}) as library:
        library.sync()
        verdict = library.eval([Question("1", "when do tokens expire", "howto", relevant)]).verdicts[0]
    assert verdict.token_recall == 1.0
    assert verdict.recall == 0.5
