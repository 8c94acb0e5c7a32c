"""Everything the OpenAPI document allows, and much that it does not, sent to a real server by schemathesis.

`make fuzz` sends a thousand examples to every operation; here a few are sent, and the corners of every schema.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from kits.http import PAGES, serving
from kits.trees import write_tree

# An address that is too long is refused as such, whatever it holds.
SETTINGS = """[checks.negative_data_rejection]
expected-statuses = ["400", "401", "403", "404", "406", "414", "422", "428", "5xx"]
"""
EXAMPLES = os.environ.get("PINAKES_FUZZ_EXAMPLES", "")


@pytest.mark.timeout(3600 if EXAMPLES else 120)
def test_no_request_gets_an_answer_that_the_openapi_document_does_not_describe(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PINAKES_ADDED_FETCH", "false")  # or a made-up URL might be somebody's
    root = write_tree(tmp_path / "docs", PAGES)
    (tmp_path / "schemathesis.toml").write_text(SETTINGS)
    # Its own process: schemathesis and hypothesis keep folders and settings beside where they run.
    command = [sys.executable, "-m", "schemathesis.cli", "run", "--seed=7", "--no-color"]
    # A stream of events never ends, so nothing can be said about its answer.
    command += ["--exclude-path=/events", "--generation-database=none"]
    command += [f"--max-examples={EXAMPLES}"] if EXAMPLES else ["--max-examples=6", "--phases=examples,fuzzing"]
    with serving(root) as server:
        address = f"http://{server.authority}/openapi.json"
        done = subprocess.run([*command, address], cwd=tmp_path, capture_output=True, text=True)
        told = "\n".join(line[:300] for line in done.stdout.splitlines())
        assert done.returncode == 0, told[-10_000:]
        assert "Tested: 35" in told
        sys.stdout.write(told[-1_500:])
    assert len(server.said) == 1, server.said
