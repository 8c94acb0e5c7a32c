"""What people can ask by a click, and what a model is told about each mode."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.context.modes import ContextMode
from pinakes.context.snippets import Snippet, SnippetList, parse_snippets
from pinakes.outline.draw import legend
from pinakes.serve.mcp.prompts import PROMPTS

DOCUMENTS = {
    "Summarise": "Summarise this document in 3-5 bullet points",
    "Cross-refs": "Check all cross-references in this document and flag any broken links",
    "Restructure": "Suggest a better structure for this document",
    "Executive summary": "Write an executive summary of this document",
    "TOC": "Generate a table of contents for this document",
    "Consistency": "Check this document for terminology inconsistencies",
    "Simplify": "Rewrite this section in simpler language",
}


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "settings"))
    return tmp_path / "settings/pinakes"


def test_documents_and_code_have_seven_snippets_each(settings: Path) -> None:
    found = ContextMode.DOCS.snippets
    assert found == SnippetList(tuple(Snippet(*one) for one in DOCUMENTS.items()))
    assert len(ContextMode.CODE.snippets.snippets) == 7
    assert not {one.name for one in ContextMode.CODE.snippets.snippets} & DOCUMENTS.keys()


def test_a_copy_in_the_users_settings_is_taken_for_its_mode_alone(settings: Path) -> None:
    built_in = ContextMode.CODE.snippets
    write_tree(settings, {"doc-snippets.json": json.dumps([{"name": "Minutes", "text": "Write minutes"}])})
    assert ContextMode.DOCS.snippets == SnippetList((Snippet("Minutes", "Write minutes"),))
    assert ContextMode.CODE.snippets == built_in
    write_tree(settings, {"doc-snippets.json": "[]"})
    assert ContextMode.DOCS.snippets == SnippetList(())


@pytest.mark.parametrize(
    ("data", "trouble"),
    [
        (b"{", "is not JSON"),
        (b"\xff\xfe\x00", "is not JSON"),
        (b"[" * 100_000, "is not JSON"),
        (b'{"name": "a", "text": "b"}', "is not a list of at most 50 snippets"),
        (json.dumps([{"name": str(one), "text": "b"} for one in range(51)]).encode(), "is not a list of at most 50"),
        (b'["a"]', "has as snippet 1 something else"),
        (b'[{"name": "a", "text": "b", "icon": "c"}]', "has as snippet 1 something else"),
        (b'[{"name": "a", "text": "b"}, {"name": "", "text": "b"}]', "has in snippet 2 a name that is no text"),
        (b'[{"name": "a", "text": 7}]', "has in snippet 1 a text that is no text of 1 to 10,000 characters"),
        (b'[{"name": "a", "text": "b"}, {"name": "a", "text": "c"}]', "has two snippets of one name"),
        (b" " * 300_000, "is larger than 256 kB"),
    ],
)
def test_a_bad_copy_is_told_of_and_the_built_in_ones_are_used(settings: Path, data: bytes, trouble: str) -> None:
    built_in = ContextMode.DOCS.snippets
    write_tree(settings, {"doc-snippets.json": data})
    found = ContextMode.DOCS.snippets
    assert found.snippets == built_in.snippets
    assert found.warning.startswith(f"{settings}/doc-snippets.json {trouble}")
    assert found.warning.endswith(".")


def test_the_files_of_the_package_can_be_copied() -> None:
    folder = Path(__file__).parents[2] / "src/pinakes/context/prompts"
    for name in ("snippets.json", "doc-snippets.json"):
        assert len(parse_snippets((folder / name).read_bytes())) == 7


def test_prompts_of_mcp_say_the_same_as_the_snippets_of_their_name() -> None:
    by_title = {one.title: one.text for one in PROMPTS.values()}
    for name, said in DOCUMENTS.items():
        # A prompt names the document, and says that it is attached, where a snippet says “this document”.
        words = re.split(r"this document|this section", said)
        pattern = r"\{\w+\}(, which is attached,)?".join(map(re.escape, words))
        assert re.match(pattern, by_title[name]), name


PROGRAMMING = (
    *("program", "programming", "software", "source", "code", "coding", "function", "class", "method", "variable"),
    *("framework", "library", "api", "debug", "debugging", "debugger", "bug", "compile", "test", "tests", "refactor"),
    *("python", "javascript", "typescript", "java", "rust", "react", "django", "sql", "html", "css", "stack trace"),
)


def test_the_prompt_for_documents_speaks_of_documents_alone() -> None:
    text = ContextMode.DOCS.system_prompt
    for word in PROGRAMMING:
        assert not re.search(rf"\b{word}\b", text, re.IGNORECASE), word
    for word in ("structure", "clarity", "cross-references", "consistency", "style", "section", "paragraph", "heading"):
        assert word in text
    for kind in ("specifications", "READMEs", "design documents", "reports", "minutes", "requirements"):
        assert kind in text


def test_the_prompts_explain_every_sign_of_their_map() -> None:
    documents = legend(("[", "(", "ln", "←", "→", "links:", ">", "…", "@"))
    for sign in re.findall(r"~Nln|[←…]N|@name/|links:|[→>](?= )|\[|\(keywords\)", documents):
        assert sign in ContextMode.DOCS.system_prompt, sign
    symbols = legend(("←files", "→", "…", "@", "c"))
    for sign in re.findall(r"[←…]N|@name/|→|\b[cfmvp] [a-z]+", symbols):
        assert sign in ContextMode.CODE.system_prompt, sign
