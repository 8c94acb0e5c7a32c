"""The search page of a published folder: what its index holds, what its script answers, what is written again."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from array import array
from collections import Counter
from collections.abc import Iterator
from math import log
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as some

from kits.node import NODE, run_script
from kits.page import HOSTILE, LIBRARY
from kits.publish import broken, files, publish, times
from kits.trees import write_tree
from pinakes.publish.packing import shards
from pinakes.words.tokenize import Terms, english

needs_node = pytest.mark.skipif(not NODE, reason="there is no node here")


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("searched")
    publish(write_tree(home / "docs", {**LIBRARY, **HOSTILE}), home / "out")
    return home / "out"


def test_the_root_names_the_search_page_and_the_page_is_there(out: Path) -> None:
    assert b'"search":{"href":"search/index.html"}' in (out / "index.json").read_bytes()
    assert broken(out) == []
    assert {
        "search/index.html",
        "search/index.js",
        "search/search.js",
        "search/spelling.js",
        "search/words-0.js",
    } < set(files(out))


def test_an_edit_writes_the_index_and_one_file_of_texts_and_nothing_else_of_search(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {f"{name}.md": f"# {name}\n\nOf {name}.\n" for name in "abcdefghijklmnopqrst"})
    publish(root, tmp_path / "out")
    before = times(tmp_path / "out")
    assert publish(root, tmp_path / "out").written == ()
    assert times(tmp_path / "out") == before
    (root / "c.md").write_text("# c\n\nOf quite another thing.\n")
    written = [path for path in publish(root, tmp_path / "out").written if path.startswith("search/")]
    texts = [path for path in written if path.startswith("search/text/")]
    assert len(texts) == 1
    assert sorted(set(written) - set(texts)) == ["search/index.js", "search/spelling.js", "search/words-0.js"]
    publish(root, tmp_path / "other")
    assert files(tmp_path / "other") == files(tmp_path / "out")


@pytest.mark.parametrize(
    "damage", ["gone", "", "[]", '{"KEY": [["t", 1, "a b", "1"]]}', '{"KEY": [["t", 1, "a", "999"]]}', '{"KEY": 3}']
)
def test_what_was_counted_before_only_spares_work(tmp_path: Path, damage: str) -> None:
    root = write_tree(tmp_path / "docs", {"a.md": "# A\n\nTides.\n", "b.md": "# B\n\nCranes.\n"})
    publish(root, tmp_path / "out")
    (kept,) = root.glob(".pinakes/published/*/words.json")
    keys = list(json.loads(kept.read_bytes()))
    if damage == "gone":
        kept.unlink()
    else:
        kept.write_text(damage.replace("KEY", keys[0]))
    (root / "c.md").write_text("# C\n\nFog.\n")
    publish(root, tmp_path / "out")
    publish(root, tmp_path / "other")
    assert files(tmp_path / "other") == files(tmp_path / "out")
    assert set(keys) < set(json.loads(kept.read_bytes()))


@needs_node
@settings(max_examples=15, deadline=None)
@given(
    some.dictionaries(
        some.text("abcdefgh0_'é工\U00020000", min_size=1, max_size=30),
        some.dictionaries(some.integers(0, 999), some.integers(1, 255), min_size=1, max_size=60),
        min_size=1,
        max_size=20,
    )
)
def test_what_is_packed_is_unpacked_by_the_script(
    tmp_path_factory: pytest.TempPathFactory, held: dict[str, dict[int, int]]
) -> None:
    packed = list(
        shards({term: array("I", [n for pair in sorted(at.items()) for n in pair]) for term, at in held.items()}, 1000)
    )
    assert len(packed) == 1
    assert _unpacked(packed[0].terms, packed[0].bits, 1000) == held


def _unpacked(terms: str, bits: str, chunks: int) -> dict[str, dict[int, int]]:
    """By the script itself."""
    script = Path(__file__).resolve().parents[2] / "src/pinakes/publish/static/search.js"
    program = """
    const [path, terms, bits, chunks] = process.argv.slice(1);
    const text = require("fs").readFileSync(path, "utf8").replace("return {begin,", "return {unpack, begin,");
    const found = eval(text + ";Pinakes").unpack(terms, bits, Number(chunks));
    const part = (held, at) => Array.from(held.slice(found.starts[at], found.starts[at + 1]));
    process.stdout.write(JSON.stringify(
      found.names.map((name, at) => [name, part(found.chunks, at), part(found.times, at)])));
    """
    done = subprocess.run([NODE, "-e", program, str(script), terms, bits, str(chunks)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return {name: dict(zip(at, often, strict=True)) for name, at, often in json.loads(done.stdout)}


@needs_node
def test_the_script_finds_the_terms_in_a_text_that_the_library_finds(out: Path, tmp_path: Path) -> None:
    texts = [
        "getUserById max_retries C++ C# parseHTTPResponse2 don't it's users' dying generously communism organization",
        "Crème Brûlée Straße GROẞ ΟΔΟΣ ὁδός ÆGIR naïve Ωmega  日本語の検索 ภาษาไทย 한국어 हिन्दी शब्द עִבְרִית",
        "std::vector v1.2.3 --max-retries foo.bar/baz @decorator #anchor $HOME a_b__c 3rd 2FA x86_64 iOS17",
        *[text for text in LIBRARY.values() if isinstance(text, str)],
        *[text for text in HOSTILE.values() if isinstance(text, str)],
    ]
    prose = Terms(english())
    wanted = []
    for text in texts:
        line, besides = prose.of(text)
        wanted.append(Counter([*line.split(), *filter(str.isalnum, besides.split())]))
    assert [Counter(found) for found in run_script(out / "search", tmp_path, texts=texts)["terms"]] == wanted


@needs_node
def test_the_script_stems_every_word_of_a_large_vocabulary_as_the_library_does(
    out: Path, tmp_path: Path, laid_out: Path
) -> None:
    text = " ".join(page.read_text("utf-8", "replace") for page in sorted((laid_out / "docs-dev").rglob("*.md")))
    words = sorted(set(re.findall(r"[a-z]+(?:'[a-z]+)?", text.lower())))
    assert len(words) > 9_000
    form = english()
    found = run_script(out / "search", tmp_path, texts=words)["terms"]
    assert [(word, one[0]) for word, one in zip(words, found, strict=True) if one[0] != form(word)] == []


@needs_node
def test_the_best_chunks_are_those_of_bm25(tmp_path: Path) -> None:
    pages = {
        "a.md": "# One\n\nTides rise and fall. Tides again.\n",
        "b.md": "# Two\n\nA tide table.\n",
        "c.md": "# Three\n\nCranes lift.\n",
    }
    publish(write_tree(tmp_path / "docs", pages), tmp_path / "out")
    terms = Terms(english())
    rows = [terms.of(f"{title}\n{title}\n{text}")[0].split() for title, text in _parted(pages)]
    mean = sum(map(len, rows)) / len(rows)
    rarity = log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    scores = [
        rarity * 2.2 * row.count("tide") / (row.count("tide") + 1.2 * (0.25 + 0.75 * len(row) / mean)) for row in rows
    ]
    answer = run_script(tmp_path / "out" / "search", tmp_path, ["tides "])["answers"][0]
    found = {hit["name"]: hit["score"] for hit in answer["hits"]}
    assert found == pytest.approx({"a.md": scores[0], "b.md": scores[1]}, rel=0.01)  # a length has a byte


def _parted(pages: dict[str, str]) -> Iterator[tuple[str, str]]:
    """The title stands in the index once as the document's and once in its text."""
    for text in pages.values():
        yield text[2:].partition("\n")[0], text.partition("\n")[2]


@needs_node
def test_answers_name_the_chunk_its_source_and_mark_the_words(out: Path, tmp_path: Path) -> None:
    answer = run_script(out / "search", tmp_path, ["trim wick"], snippets=True)["answers"][0]
    first = answer["hits"][0]
    assert (first["name"], first["source"], first["href"]) == (
        "guide/lamp.md", "guide/lamp.md", "guide/_chunks/lamp-0.md",
    )  # fmt: skip
    assert {text.lower() for text, is_marked in first["snippet"] if is_marked} == {"trim", "wick"}


@needs_node
def test_a_word_that_is_still_typed_finds_words_that_begin_like_it(out: Path, tmp_path: Path) -> None:
    answers = run_script(out / "search", tmp_path, ["sign", "spec of signa", "gnals ", "zzzz", ""])["answers"]
    assert [one["hits"][0]["name"] if one["hits"] else None for one in answers] == [
        "spec/signals.md", "spec/signals.md", None, None, None,
    ]  # fmt: skip


@needs_node
def test_a_misspelt_word_finds_the_nearest_known_one_and_says_so(out: Path, tmp_path: Path) -> None:
    right, wrong, none = run_script(out / "search", tmp_path, ["signals ", "singals ", "zzyzzxq "])["answers"]

    assert wrong["hits"] and [hit["href"] for hit in wrong["hits"]] == [hit["href"] for hit in right["hits"]]
    assert (right["meant"], wrong["meant"], none["meant"]) == ([], [["singal", "signal"]], [])
    assert not none["hits"]


def test_the_index_of_a_real_library_is_small(laid_out: Path, tmp_path: Path) -> None:
    root = tmp_path / "docs"
    shutil.copytree(laid_out / "docs-dev" / "corpus", root, copy_function=shutil.copyfile)
    text = sum(page.stat().st_size for page in root.rglob("*.*"))
    publish(root, tmp_path / "out")
    index = sum(path.stat().st_size for path in (tmp_path / "out" / "search").glob("*.js"))
    assert index < 0.15 * text
