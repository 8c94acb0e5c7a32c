"""Every format can be written and read for its figures; two of them are, in processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from benchmarks.formats import HERE, WRITERS

TEXT = "# Harbour\n\nShips (all of them) lie in the harbour.\n\n## Tides\n\nHigh water comes twice a day.\n"


@pytest.mark.parametrize("name", ["adoc", "pdf"])
def test_a_format_is_written_read_and_measured(name: str) -> None:
    command = [sys.executable, "-m", "benchmarks.formats", name]
    done = subprocess.run(command, input=json.dumps([TEXT] * 3), capture_output=True, text=True, cwd=HERE, check=False)
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert told["files"] == 3
    assert told["text_bytes"] > 3 * 70
    assert told["seconds"] > 0


def test_all_formats_have_a_row() -> None:
    assert {"md", "rst", "adoc", "org", "txt", "ipynb", "csv", "1", "json", "html"} < WRITERS.keys()
    assert {"pdf", "docx", "pptx", "xlsx", "epub", "odt"} < WRITERS.keys()
