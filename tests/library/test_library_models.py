"""The library with models of the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from kits.bert import WIDTH, random_weights, write_safetensors, write_settings
from kits.endpoint import serving
from kits.trees import write_tree
from pinakes.errors import ConfigError
from pinakes.records import Query

pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")


pytestmark = pytest.mark.usefixtures("new_user")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    pages = {f"page{number}.md": f"# Page {number}\n\nTide {'in the harbour ' * number}.\n" for number in range(4)}
    return write_tree(tmp_path / "project", pages)


@pytest.fixture
def judge(tmp_path: Path) -> str:
    folder = tmp_path / "judge"
    folder.mkdir()
    weights = {f"bert.{name}": values for name, values in random_weights().items()}
    for name, rows in (("bert.pooler.dense", WIDTH), ("classifier", 1)):
        weights[f"{name}.weight"] = random_weights()["embeddings.position_embeddings.weight"][:rows]
        weights[f"{name}.bias"] = random_weights()["embeddings.LayerNorm.bias"][:rows]
    write_settings(folder, architectures=["BertForSequenceClassification"])
    write_safetensors(folder / "model.safetensors", weights)
    return str(folder)


def test_a_thorough_search_reads_the_leading_hits_again(root: Path, judge: str) -> None:
    with pinakes.open(root, {"neural.reranker": judge}) as library:
        library.sync()
        thorough = library.search(Query("tide in the harbour", profile="thorough"))
        balanced = library.search(Query("tide in the harbour"))
    assert {vote.retriever for vote in thorough.hits[0].votes} >= {"rerank"}
    assert "rerank" not in {vote.retriever for hit in balanced.hits for vote in hit.votes}


def test_a_model_of_the_user_s_embeds_everything_in_a_sync(root: Path, tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    folder.mkdir()
    write_settings(folder)
    write_safetensors(folder / "model.safetensors", random_weights())
    with pinakes.open(root, {"neural.model": str(folder)}) as library:
        library.sync()
        models, made = library.models.list()
        (selected,) = (model for model in models if model.is_selected)
        assert made == {selected.embedder}
        assert library.status().embedder == selected.embedder
        assert library.search("tide").missing == ()
    assert [kept.stem for kept in (tmp_path / "home/.cache/pinakes/models").iterdir()] == [selected.embedder]


def test_vectors_can_be_made_in_the_background(root: Path) -> None:
    with pinakes.open(root) as library:
        library.models.embed_in_background()
        assert not library.is_indexed
        library.sync()
        library.models.embed_in_background()
        assert library.search("tide").hits


def test_a_model_nobody_named_is_refused_by_a_sync_and_missed_by_a_search(root: Path) -> None:
    with pinakes.open(root, {"neural.model": "nonsense"}) as library:
        with pytest.raises(ConfigError, match="no embedder called “nonsense”"):
            library.sync()
        found = library.search("tide")
        assert found.hits
        assert "no embedder called “nonsense”" in found.missing[0]
        assert library.status().embedder.startswith("none: There is no embedder called “nonsense”.")


def test_an_answer_comes_though_the_embedder_of_keywords_is_down(root: Path) -> None:
    with serving() as server:
        address = server.address
    with pinakes.open(root, {"keywords.model": address, "keywords.contrast_only_chars": 0}) as library:
        note = library.refresh()
        assert note.startswith("New keywords are not made: http://127.0.0.1:")
        assert library.search("tide").hits
