"""Modes of a workspace over HTTP: start, switch, selection, context, events, a state that tells the truth."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from kits.trees import write_tree
from kits.work import FILES, Working, listening, working


def keys(work: Working) -> set[str]:
    return {one["key"] for one in work.get("context")["blocks"]}


def test_a_workspace_starts_in_code_mode_and_says_all_that_a_page_shows(work: Working, repository: Path) -> None:
    state = work.get("state")
    assert state["root"] == str(repository)
    assert state["mode"] == "code"
    assert state["modes"] == {
        "code": {"ready": True, "reason": ""},
        "docs": {"ready": True, "building": False, "reason": ""},
    }
    assert state["conversation"] == {"available": True, "reason": "", "provider": "openai", "model": "qwen3"}
    assert (state["progress"], state["answering"], state["can_undo"]) == (None, False, False)
    assert state["keywords_available"] and state["keywords_message"] == ""
    assert state["review"] == {"on": False, "range": ""}
    assert [one["name"] for one in state["snippets"]]


def test_a_switch_swaps_map_prompt_and_snippets_clears_the_selection_and_tells_every_page(work: Working) -> None:
    work.post("selection", paths=["src/crane.py"])
    work.post("overlay", on=True)
    with listening(work.server) as news:
        switched = work.post("mode", mode="docs")
        assert news.until("mode")[1] == switched
        assert news.until("selection")[1] == {"paths": [], "tokens": 0}
    assert switched["mode"] == "docs"
    assert switched["message"] == "Switched to document mode"
    assert (switched["keywords_available"], switched["keywords_message"], switched["selection"]) == (True, "", [])
    assert switched["snippets"][0]["name"] == "Summarise"
    state = work.get("state")
    assert (state["mode"], state["selection"], state["overlay"]) == ("docs", [], False)
    assert keys(work) >= {"map:docs/harbour.md", "map:docs/tides.md", "map:docs/plan.svg", "files:src"}
    assert "map:src/crane.py" not in keys(work)


def test_outlines_of_drawings_are_in_document_mode_only(work: Working) -> None:
    assert "map:docs/plan.svg" not in keys(work)
    work.post("overlay", on=True)
    assert "map:docs/tides.md" in keys(work) and "map:docs/plan.svg" not in keys(work)
    work.post("mode", mode="docs")
    assert "map:docs/plan.svg" in keys(work)


def test_a_switch_keeps_the_history_and_tells_the_model(work: Working) -> None:
    work.ask("What lifts?")
    work.post("mode", mode="docs")
    work.ask("What floats?")
    sent = work.provider.asked[-1].body["messages"]
    assert sent[-3]["content"] == "What lifts?"
    assert sent[-1]["content"].startswith("[Switched to document mode]\n\nWhat floats?")
    assert "you work on the documents of this repository" in sent[0]["content"]
    roles = [(one["role"], one["text"]) for one in work.get("messages")]
    assert roles[2] == ("system", "Switched to document mode")


def test_a_switch_there_and_back_restores_the_prompt_byte_for_byte(work: Working) -> None:
    for question in ("One?", "Two?"):
        work.ask(question)
    before = context(work)
    work.post("mode", mode="docs")
    work.post("mode", mode="code")
    assert context(work) == before
    work.ask("Three?")
    assert "Switched" not in str(work.provider.asked[-1].body)


def context(work: Working) -> Any:
    """Where everything stands; how often a block was seen does not belong to the prompt."""
    found = work.get("context")
    return [{**one, "number": 0} for one in found["blocks"]], found["tokens"], found["tiers"]


def test_each_mode_keeps_a_tracker_of_its_own(work: Working) -> None:
    for question in ("One?", "Two?", "Three?"):
        work.ask(question)
    counted = number(work, "map:src/crane.py")
    work.post("mode", mode="docs")
    in_docs = number(work, "map:docs/tides.md")
    work.post("mode", mode="code")
    assert number(work, "map:src/crane.py") == counted + 1
    work.post("mode", mode="docs")
    assert number(work, "map:docs/tides.md") == in_docs + 1


def number(work: Working, key: str) -> int:
    """In how many requests in a row a block did not change."""
    found: int = next(one["number"] for one in work.get("context")["blocks"] if one["key"] == key)
    return found


def test_a_selected_file_stands_in_full_and_its_outline_comes_back_read_anew(work: Working, repository: Path) -> None:
    work.post("mode", mode="docs")
    chosen = work.post("selection", paths=["docs/tides.md", "./docs/tides.md"])
    assert chosen["selection"] == ["docs/tides.md"] and chosen["tokens"] > 0
    assert "file:docs/tides.md" in keys(work) and "map:docs/tides.md" not in keys(work)
    state = work.get("state")
    assert (state["selection"], state["selection_tokens"]) == (chosen["selection"], chosen["tokens"])
    write_tree(repository, {"docs/tides.md": "# Tides\n\n## Springs\n"})
    work.post("selection", paths=[])
    work.ask("What is new?")
    assert "Springs" in str(work.provider.asked[-1].body)
    write_tree(repository, {"docs/tides.md": FILES["docs/tides.md"]})


@pytest.mark.parametrize("path", ["gone.md", "../x", "/etc/passwd", ".pinakes/seal.json", ".git/config"])
def test_what_is_not_listed_is_not_selected(work: Working, path: str) -> None:
    answer = work.server.post("/work/selection", {"paths": [path]})
    assert (answer.status, answer.json["detail"]) == (404, f"There is no file “{path}” here.")
    assert work.get("state")["selection"] == []


def test_documents_are_synced_before_every_question(work: Working, repository: Path) -> None:
    work.post("mode", mode="docs")
    write_tree(repository, {"docs/new.md": "# Buoys\n"})
    work.ask("What is new?")
    assert "# Buoys" in str(work.provider.asked[-1].body)
    (repository / "docs/new.md").unlink()
    work.ask("And now?")
    assert "# Buoys" not in str(work.provider.asked[-1].body)


def test_a_page_that_connects_in_the_middle_of_a_build_learns_the_truth(tmp_path: Path) -> None:
    write_tree(tmp_path, {**FILES, **{f"docs/{number}.md": f"# Page {number}\n\nText.\n" for number in range(300)}})
    with working(tmp_path, waits=False) as work:
        seen = work.get("state")
        with listening(work.server) as news:
            if seen["modes"]["docs"]["building"] or not seen["modes"]["code"]["ready"]:
                news.until("doc_index_ready")
        state = work.get("state")
        assert state["modes"]["docs"] == {"ready": True, "building": False, "reason": ""}
        assert state["progress"] is None
        names = [name for name, _ in news.heard]
        since = names.index("ready") if "ready" in names else 0
        told = [data for name, data in news.heard[since:] if name == "progress"]
        assert [one["percent"] for one in told] == sorted(one["percent"] for one in told)
        assert told[-1:] in ([], [{"label": "Caching results…", "percent": 100}])


def test_without_source_code_documents_are_used_and_code_mode_says_why(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.md": "# Alpha\n"})
    with working(tmp_path, options=("--no-code",)) as work:
        state = work.get("state")
        assert state["mode"] == "docs"
        assert state["modes"]["code"]["ready"] and "--no-code" in state["modes"]["code"]["reason"]
        refused = work.server.post("/work/mode", {"mode": "code"})
        assert (refused.status, refused.json["next_step"]) == (400, "Document mode goes on.")
        assert work.server.post("/work/overlay", {"on": True}).status == 400


@pytest.mark.parametrize(("setting", "options"), [("", ()), ("[code]\nenabled = false\n", ("--code",))])
def test_source_code_is_read_unless_settings_or_the_command_say_otherwise(
    tmp_path: Path, setting: str, options: tuple[str, ...]
) -> None:
    write_tree(tmp_path, {"a.md": "# Alpha\n", "b.py": "def b(): ...\n", "pinakes.toml": setting})
    with working(tmp_path, options=options) as work:
        assert work.get("state")["mode"] == "code"
        assert "map:b.py" in keys(work)
