"""The start of a workspace: two indexes one after the other, and what is told when something is missing."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from kits.http import serving
from kits.trees import write_tree
from kits.waiting import until
from kits.work import FILES, listening, working


def test_the_index_of_code_comes_first_and_that_of_documents_in_the_background(tmp_path: Path) -> None:
    write_tree(tmp_path, dict(FILES))
    with working(tmp_path, waits=False) as work, listening(work.server) as news:
        if not work.get("state")["modes"]["code"]["ready"]:
            assert news.until("ready")[1] == {"mode": "code"}
        work.post("selection", paths=["src/crane.py", "docs/tides.md"])
        assert work.ask("What lifts?")[-1][0] == "done"
        if work.get("state")["modes"]["docs"]["building"]:
            news.until("doc_index_ready")
        assert work.post("mode", mode="docs")["mode"] == "docs"


def test_a_document_index_that_cannot_be_made_is_told_and_code_mode_works(tmp_path: Path) -> None:
    pages = {f"docs/{number}.md": f"# Page {number}\n\n{'text ' * 200}\n" for number in range(400)}
    write_tree(tmp_path, {**FILES, **pages})
    small = ("sh", "-c", 'ulimit -f 400; exec "$@"', "sh")
    options = ("--no-open", "--no-watch")
    with serving(tmp_path, verb="work", options=options, prelude=small) as server:
        with listening(server) as news:
            until(lambda: not server.get("/work/state").json["modes"]["docs"]["building"], "the build is over")
            state = server.get("/work/state").json
            assert state["modes"]["code"]["ready"] and state["mode"] == "code"
            assert "The disk refused" in state["modes"]["docs"]["reason"] and not state["modes"]["docs"]["ready"]
            server.post("/work/selection", {"paths": []})
            news.until("selection")
        failed = [data["message"] for name, data in news.heard if name == "doc_index_failed"]
        assert failed in ([], [state["modes"]["docs"]["reason"]])
        refused = server.post("/work/mode", {"mode": "docs"})
        assert refused.status == 503 and "could not be made" in refused.json["detail"]
        assert server.get("/work/context").json["mode"] == "code"


def test_missing_keywords_are_told_in_the_terminal_in_the_state_and_at_a_switch(tmp_path: Path) -> None:
    write_tree(tmp_path, dict(FILES))
    without = {"PINAKES_KEYWORDS_MODEL": "sentence-transformers:some/model"}
    with working(tmp_path, environment=without) as work:
        state = work.get("state")
        assert not state["keywords_available"] and "pip install" in state["keywords_message"]
        assert any("pip install" in line for line in work.server.said)
        switched = work.post("mode", mode="docs")
        assert (switched["keywords_available"], switched["keywords_message"]) == (False, state["keywords_message"])


def test_changed_settings_are_used_from_the_next_call_on(tmp_path: Path) -> None:
    write_tree(tmp_path, {**FILES, "pinakes.toml": "[code]\nenabled = false\n"})
    with working(tmp_path) as work:
        assert "Source code is not read here" in work.get("state")["modes"]["code"]["reason"]
        write_tree(tmp_path, {"pinakes.toml": "[code]\nenabled = true\n"})
        until(lambda: not work.get("state")["modes"]["code"]["reason"], "the new settings are used")
        assert work.post("mode", mode="code")["mode"] == "code"


def test_an_extra_that_is_missing_is_named(tmp_path: Path) -> None:
    write_tree(tmp_path, {"fastapi.py": "raise ModuleNotFoundError(name='fastapi')\n", "docs/a.md": "# A\n"})
    done = subprocess.run(
        [sys.executable, "-c", "from pinakes.serve.cli import main; main()", "work", str(tmp_path / "docs")],
        env={**os.environ, "PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr == "pinakes: fastapi is not installed. Run: pip install 'pinakes[work]'.\n"


def test_an_index_that_came_along_is_no_reason_to_say_nothing(tmp_path: Path) -> None:
    pages = {f"docs/{number}.md": f"# Page {number}\n\n{'text ' * 200}\n" for number in range(200)}
    root = write_tree(tmp_path / "root", {**FILES, **pages})
    command = [sys.executable, "-m", "pinakes", "sync", "--root", str(root)]
    other = {**os.environ, "XDG_DATA_HOME": str(tmp_path / "other")}
    subprocess.run(command, env=other, capture_output=True, check=True)
    with working(root) as work:  # asks for the state from the first moment on
        assert work.get("state")["modes"]["docs"]["ready"]
