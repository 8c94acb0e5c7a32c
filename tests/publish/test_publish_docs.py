"""A real library of 404 pages, published: valid, linked, verbatim, stable."""

from __future__ import annotations

import json
import os
import re
import shutil
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from jsonschema import Draft202012Validator

from kits.publish import broken, chunked, files, indexes, publish, times
from pinakes.client import PublishedSite
from pinakes.publish.shape import schema_bytes

HOME = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.timeout(600)  # a library of 404 pages is indexed and published first


@pytest.fixture(scope="module")
def folders(laid_out: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, Path]]:
    """The documents and the folder they were published into."""
    home = tmp_path_factory.mktemp("published")
    root = home / "docs"
    shutil.copytree(laid_out / "docs-dev" / "corpus", root, copy_function=shutil.copyfile)
    questions = laid_out / "docs-dev" / "queries.jsonl"
    assert publish(root, home / "out", prompts=questions).documents == 404
    yield root, home / "out"


def test_every_json_file_is_as_the_schema_says(folders: tuple[Path, Path]) -> None:
    out = folders[1]
    schema = json.loads((out / "schema.json").read_bytes())
    Draft202012Validator.check_schema(schema)
    for name, kind in (("index.json", "RootIndex"), ("prompts.json", "PromptIndex")):
        validator = Draft202012Validator({**schema, "$ref": f"#/$defs/{kind}"})
        assert [error.message for error in validator.iter_errors(json.loads((out / name).read_bytes()))] == []
    topics = Draft202012Validator({**schema, "$ref": "#/$defs/TopicIndex"})
    found = {path: index for path, index in indexes(out).items() if path != "index.json"}
    assert len(found) > 30
    assert [f"{path}: {error.message}" for path, index in found.items() for error in topics.iter_errors(index)] == []


def test_every_link_leads_to_a_file(folders: tuple[Path, Path]) -> None:
    assert broken(folders[1]) == []


def test_every_document_is_published_as_it_is_and_its_chunks_are_what_it_is_made_of(folders: tuple[Path, Path]) -> None:
    root, out = folders
    documents = {path: data for path, data in files(root).items() if not path.startswith(".pinakes")}
    published = files(out)
    assert {path for path, data in documents.items() if published.get(path) != data} == set()
    covered = 0
    for _, held, source, chunks in chunked(out):
        assert b"".join(chunks) == source
        assert held["count"] == len(chunks)
        covered += 1
    assert covered == len([data for data in documents.values() if data])


def test_orders_name_every_chunk_once_and_can_be_made_from_what_is_published(folders: tuple[Path, Path]) -> None:
    from pinakes.publish import stripe_order

    technical = 0
    for _, held, _, _ in chunked(folders[1]):
        items, first = held["items"], held["baseline_conceptual"]
        assert held["order"] == [first, *held["stripe_order"]]
        near = [item["similarity_conceptual"] for item in items]
        assert near[first] == 1.0
        assert list(stripe_order(near, first)) == held["stripe_order"]
        if "baseline_technical" in held:
            technical += 1
            near = [item["similarity_technical"] for item in items]
            assert list(stripe_order(near, held["baseline_technical"])) == held["stripe_order_technical"]
        else:
            assert "stripe_order_technical" not in held
    assert technical


def test_keywords_of_chunks_are_in_the_table_and_in_the_text(folders: tuple[Path, Path]) -> None:
    out = folders[1]
    seen = 0
    for path, held, _, chunks in chunked(out):
        table = (out / path).with_name("_keywords").joinpath("words.md").read_text(encoding="utf-8")
        listed = json.loads((out / path).with_name("_keywords").joinpath("chunks.json").read_bytes())
        for own, text in zip(listed["chunks"][_stem(held)], chunks, strict=True):
            for place in own:
                word = listed["keywords"][place]
                assert f"| {word['name']} | {word['score']} |" in table
                assert word["name"].casefold() in " ".join(text.decode().casefold().split())
                seen += 1
    assert seen > 1000


def _stem(held: dict[str, Any]) -> str:
    return unquote(held["_links"]["self"]["href"]).removesuffix(".json")


def test_vectors_of_chunks_give_the_published_similarities(folders: tuple[Path, Path]) -> None:
    out = folders[1]
    path, held, _, _ = max(chunked(out), key=lambda one: len(one[3]))
    listed = json.loads((out / path).with_name("_embeddings").joinpath("chunks.json").read_bytes())
    rows = [b64decode(row) for row in listed["chunks"][_stem(held)]]
    vectors = [[byte - 256 if byte > 127 else byte for byte in row] for row in rows]
    assert {len(row) for row in vectors} == {listed["dimensions"]}
    first = vectors[held["baseline_conceptual"]]
    for item, row in zip(held["items"], vectors, strict=True):
        cosine = sum(one * other for one, other in zip(first, row, strict=True)) / 127**2
        assert cosine == pytest.approx(item["similarity_conceptual"], abs=0.03)


def test_relations_name_documents_that_are_there_and_say_it_both_ways(folders: tuple[Path, Path]) -> None:
    root, out = folders
    found: dict[str, Any] = {}
    for file in out.rglob("_relations/documents.json"):
        found |= json.loads(file.read_bytes())["documents"]
    for path, held in found.items():
        assert all((root / other["path"]).is_file() and other["path"] != path for other in held["related"])
        assert all(path in found[other]["linked_from"] for other in held["links_to"])
        assert all(path in found[other]["links_to"] for other in held["linked_from"])
    assert sum(len(held["related"]) for held in found.values()) > 400


def test_five_answers_cost_fewer_bytes_than_their_five_pages(folders: tuple[Path, Path]) -> None:
    out = folders[1]
    names = (
        "fastapi/docs/en/docs/tutorial/background-tasks.md",
        "fastapi/docs/en/docs/tutorial/security/oauth2-jwt.md",
        "rust-book/src/ch04-01-what-is-ownership.md",
        "uv/docs/concepts/cache.md",
        "vite/docs/guide/env-and-mode.md",
    )
    fetched: list[int] = []

    def fetch(place: str) -> bytes:
        data = (out / place).read_bytes()
        fetched.append(len(data))
        return data

    site = PublishedSite(fetch)
    for name in names:
        assert list(site.document(name).chunks(first=3))
    pages = sum((out / name).stat().st_size for name in names)
    assert sum(fetched) < pages
    assert len(fetched) == 1 + 4 * len(names)


def test_topics_hang_together_by_their_links(folders: tuple[Path, Path]) -> None:
    out = folders[1]
    found = indexes(out)
    walked = ["index.json"]
    while "next" in found[walked[-1]]["_links"]:
        here = walked[-1]
        href = found[here]["_links"]["next"]["href"]
        walked.append(os.path.normpath(os.path.join(os.path.dirname(here), href)))
    assert sorted(walked) == sorted(found)
    root = found["index.json"]
    assert root["counts"]["documents"] == 404
    assert len(root["_embedded"]["topics"]) == len(found) - 1


def test_a_second_run_writes_nothing_at_all(folders: tuple[Path, Path], laid_out: Path) -> None:
    root, out = folders
    before, stamps = files(out), times(out)
    again = publish(root, out, prompts=laid_out / "docs-dev" / "queries.jsonl")
    assert (again.written, again.removed, again.kept) == ((), (), ())
    assert (files(out), times(out)) == (before, stamps)


def test_an_edited_document_changes_the_files_of_its_topic_and_of_the_root_only(
    folders: tuple[Path, Path], laid_out: Path
) -> None:
    root, out = folders
    before, stamps = files(out), times(out)
    page = root / "uv" / "docs" / "concepts" / "cache.md"
    page.write_bytes(page.read_bytes() + b"\n## Zebras\n\nSee [tools](tools.md) for a striped cache.\n")
    done = publish(root, out, prompts=laid_out / "docs-dev" / "queries.jsonl")
    after = files(out)
    changed = {path for path in before.keys() | after.keys() if before.get(path) != after.get(path)}
    of_topic = r"uv/docs/concepts/(?:_\w+/)?[^/]+"
    topic = {path for path in before.keys() | after.keys() if re.fullmatch(of_topic, path)}
    # Pages and relations of others name it where it is near to them by its vectors.
    near = {path for path in changed if path.endswith(".html") and b"cache.html" in before[path] + after[path]}
    near |= {path for path in changed if path.endswith("_relations/documents.json")}
    whole = {"index.json", "llms.txt", "llms-full.txt", "map.txt", "prompts.json", ".pinakes-published"}
    assert "uv/docs/concepts/cache.md" in changed
    search = {path for path in changed if re.fullmatch(r"search/(?:index|spelling|words-\d+|text/[-\w]+)\.js", path)}
    assert len([path for path in search if path.startswith("search/text/")]) == 1
    assert len(near) < 12
    assert changed - topic - near - whole - search == set()
    assert {path for path, when in times(out).items() if stamps.get(path) != when} == changed
    assert set(done.written) == changed - {".pinakes-published"} - set(done.removed)


def test_two_folders_published_from_the_same_documents_are_the_same_to_the_byte(
    folders: tuple[Path, Path], tmp_path: Path
) -> None:
    copy = tmp_path / "docs"
    shutil.copytree(folders[0], copy, ignore=shutil.ignore_patterns(".pinakes"))
    publish(copy, tmp_path / "one")
    publish(copy, tmp_path / "two")
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_the_schema_in_the_documentation_is_the_one_the_records_make() -> None:
    assert (HOME / "docs" / "publish.schema.json").read_bytes() == schema_bytes()
