"""The page shows the changes of an answer as the server reads them: no answer can show one change and make another."""

from __future__ import annotations

import json
import random
import subprocess
from pathlib import Path
from typing import Any

import pytest

from kits.node import NODE
from pinakes.edits import blocks_of

pytestmark = pytest.mark.skipif(not NODE, reason="there is no node here")
SOURCE = Path(__file__).resolve().parents[3] / "web" / "src" / "blocks.js"
LINES = (
    *("docs/tides.md", "src/crane.py", "`a b.md`:", "### ./docs/x.md", "- **y.md**", "1. z.md", "a sentence", "", "  "),
    *("```", "```python", "  ```python", "~~~", "``` `x`", "````md", "\r", "x\r<<<<<<< FIND\r", "[x](y.md '", ">"),
    *("<<<<<<< FIND", "<<<<<<< FIND  ", "<<<<<<<< FIND", "<<<<<<<<<<< FIND", "<<<<< FIND", "  <<<<<<< FIND", "<<<<<<<"),
    *("=======", "========", "===========", "=====", "======= ", "  =======", "=======\r"),
    *(">>>>>>> END", ">>>>>>>> END", ">>>>>>>>>>> END", ">>>>> END", "  >>>>>>> END", ">>>>>>> END\r", "- >>>>>>> END"),
)
HIDDEN = """\
- See [the tables](docs/tides.md "
src/crane.py
<<<<<<<<<< FIND
    return tonnes
==========
    return 0
>>>>>>>>>> END
")
"""
"""A change in what Markdown does not show."""


def shown(answers: list[str], scratch: Path) -> Any:
    """What the page makes of answers."""
    script = scratch / "run.mjs"
    given = scratch / "answers.json"
    given.write_text(json.dumps(answers))
    script.write_text(
        f"import {{ readFileSync }} from 'node:fs';\nimport {{ parts }} from {json.dumps(SOURCE.as_uri())};\n"
        f"const answers = JSON.parse(readFileSync({json.dumps(str(given))}, 'utf8'));\n"
        "process.stdout.write(JSON.stringify(answers.map(parts)));\n"
    )
    done = subprocess.run([NODE, "--no-warnings", str(script)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def made_up(seed: int) -> str:
    pick = random.Random(seed)
    return "\n".join(pick.choice(LINES) for _ in range(pick.randint(3, 40)))


def block(path: str, mark: int = 7, inside: str = "old") -> str:
    return f"{path}\n{'<' * mark} FIND\n{inside}\n{'=' * mark}\nnew\n{'>' * mark} END\n"


def test_the_page_sees_the_blocks_that_the_server_sees(tmp_path: Path) -> None:
    answers = [
        HIDDEN,
        block("a.md", 8, "=======\n>>>>>>> END"),
        f"```\n{block('a.md')}```\n{block('  ```python')}",
        f"docs/tides.md\n  <<<<<<< FIND\n<<<<<<<< FIND\n>>>>>>> END\n{block('src/crane.py')}",
        *map(made_up, range(3_000)),
    ]
    for answer, found in zip(answers, shown(answers, tmp_path), strict=True):
        cards = [one for one in found if "path" in one]
        wanted = blocks_of(answer)
        assert [one["path"] for one in cards] == [one.path for one in wanted], answer
        for card, read in zip(cards, wanted, strict=True):
            assert card["isWhole"] is not read.fault.startswith("The answer ended before"), answer
            if card["isWhole"]:
                assert (card["find"], card["put"]) == (read.find.removesuffix("\n"), read.put.removesuffix("\n")), (
                    answer
                )


def test_a_change_that_markdown_would_hide_is_shown(tmp_path: Path) -> None:
    ((before, card, _),) = shown([HIDDEN], tmp_path)
    assert before == {"text": '- See [the tables](docs/tides.md "'}
    assert (card["path"], card["find"], card["put"]) == ("src/crane.py", "    return tonnes", "    return 0")
