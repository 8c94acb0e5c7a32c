"""Questions as hashes: the same in every program, near for what is nearly the same, and honest about the rest."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

import pinakes
from kits.publish import document_index, publish
from kits.trees import write_tree
from pinakes.errors import NotFound
from pinakes.library import ask_published
from pinakes.publish.prompts import ask, digest, distance, simhash
from pinakes.records.publish import Asked, PromptIndex, Target
from pinakes.render import dumps, wire
from pinakes.render.schema import document
from pinakes.serve.cli import commands

PAIRS = """# Questions

## How do I rotate a token?

With `rotate`.

**Q: Where are cookies kept?**

Q2. Why is the sky blue?

Nothing asked here.
"""


def library(tmp_path: Path) -> Path:
    return write_tree(
        tmp_path / "docs",
        {
            "auth/tokens.md": "# Tokens\n\nTo rotate a token, call rotate. Tokens expire after an hour.\n",
            "auth/cookies.md": "# Cookies\n\nCookies are kept in the jar of the browser.\n",
            "auth/qa-pairs.md": PAIRS,
        },
    )


def test_hashes_are_those_that_any_program_would_make() -> None:
    assert (digest("How do I rotate a token?"), simhash("How do I rotate a token?")) == (
        digest("how do i  ROTATE a token"),
        simhash("how do i  ROTATE a token"),
    )
    # The published FNV-1a of "a", mixed as the page says.
    value = 0xAF63DC4C8601EC8C
    value = (value ^ value >> 33) * 0xFF51AFD7ED558CCD % 2**64
    value = (value ^ value >> 33) * 0xC4CEB9FE1A85EC53 % 2**64
    assert digest("A") == f"{value ^ value >> 33:016x}"


def test_a_question_with_a_word_more_is_nearer_than_another_question() -> None:
    asked = simhash("how can I keep certain endpoints out of the generated documentation")
    near = simhash("please, how can I keep certain endpoints out of the generated documentation")
    assert distance(asked, near) <= 12 < distance(asked, simhash("what does the borrow checker complain about"))


@given(st.text())
def test_any_text_has_hashes_of_sixteen_digits(text: str) -> None:
    index = PromptIndex((Asked(digest(text), simhash(text), (Target("a.md"),)),), 0)
    assert len(digest(text)) == len(simhash(text)) == 16
    assert ask(index, text).chunks in ((Target("a.md"),), ())


def test_questions_of_the_documents_are_listed_with_the_chunks_that_answer_them(tmp_path: Path) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    publish(root, out, prompts=Path())
    held = json.loads((out / "prompts.json").read_bytes())
    known = {one["digest"]: [chunk["href"] for chunk in one["chunks"]] for one in held["prompts"]}
    assert "auth/_chunks/tokens-0.md" in known[digest("How do I rotate a token?")]
    assert "auth/_chunks/cookies-0.md" in known[digest("Where are cookies kept?")]
    items = document_index(out, "auth/index.json", "tokens")["items"]
    assert digest("How do I rotate a token?") in [one["digest"] for one in items[0]["prompts"]]


def test_without_questions_there_are_no_hashes(tmp_path: Path) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    publish(root, out)
    assert not (out / "prompts.json").exists()
    assert "prompts" not in document_index(out, "auth/index.json", "tokens")["items"][0]
    with pytest.raises(NotFound, match="--prompts"):
        ask_published(out, "anything")


def test_a_library_without_questions_says_where_to_write_them(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {"a.md": "# A\n"})
    with pytest.raises(NotFound, match=r"qa-pairs\.md"):
        publish(root, tmp_path / "out", prompts=Path())


def test_try_answers_from_the_hashes_and_searches_for_what_they_do_not_know(tmp_path: Path) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    run = CliRunner().invoke

    def told(*arguments: str) -> str:
        done = run(commands, ["publish", str(out), "--root", str(root), *arguments])
        assert done.exit_code == 0, done.output
        return done.stdout

    assert "3 documents in 1 topics" in told("--prompts")
    known = told("--try", "how do I rotate a token")
    assert known.startswith("The hashes know this question (0 of 64 bits differ)")
    assert "auth/_chunks/tokens-0.md" in known
    other = json.loads(told("--json", "--try", "what is in the jar of the browser"))
    assert (other["tried"]["distance"], other["tried"]["chunks"]) == (None, [])
    assert other["results"]["hits"][0]["path"] == "auth/cookies.md"


def test_the_command_says_what_it_did_and_fails_when_somebody_s_file_is_in_the_way(tmp_path: Path) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    arguments = ["publish", str(out), "--root", str(root)]
    run = CliRunner().invoke
    assert run(commands, arguments).exit_code == 0
    done = run(commands, [*arguments, "--json"])
    assert json.loads(done.stdout)["written"] == []
    (out / "auth" / "tokens.md").write_text("mine")
    kept = run(commands, arguments)
    assert kept.exit_code == 1
    assert "auth/tokens.md. Move them away and publish again." in kept.stderr


@pytest.mark.parametrize("sizes", ["250", "a-b", "750-250", "10-15", "-1-5", "1-99999999"])
def test_sizes_that_make_no_sense_are_refused_before_anything_is_written(tmp_path: Path, sizes: str) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    done = CliRunner().invoke(commands, ["publish", str(out), "--root", str(root), f"--chunk-tokens={sizes}"])
    assert done.exit_code == 2
    assert not out.exists()


def test_what_the_command_prints_as_json_is_as_the_schema_says(tmp_path: Path) -> None:
    root, out = library(tmp_path), tmp_path / "out"
    shapes = json.loads(dumps(document()))
    with pinakes.open(root) as opened:
        opened.sync(corpora=("docs",))
        made = [("Published", opened.publish(out, prompts=Path()))]
        tried = [("Tried", ask_published(out, asked)) for asked in ("where are cookies kept", "what else is there")]
    for name, record in (*made, *tried):
        assert list(Draft202012Validator({**shapes, "$ref": f"#/$defs/{name}"}).iter_errors(wire(record))) == []
