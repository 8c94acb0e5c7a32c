"""The library with models of the user's."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from kits.bert import scorer_weights, write_model
from kits.endpoint import serving
from kits.trees import write_tree
from pinakes.errors import ConfigError, ExtraMissing
from pinakes.neural import embedder_name
from pinakes.neural.model_files import reranker_name
from pinakes.records import Query

pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")


pytestmark = pytest.mark.usefixtures("new_user")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    pages = {f"page{number}.md": f"# Page {number}\n\nTide {'in the harbour ' * number}.\n" for number in range(4)}
    return write_tree(tmp_path / "project", pages)


@pytest.fixture
def judge(tmp_path: Path) -> str:
    return str(write_model(tmp_path / "judge", scorer_weights(), architectures=["BertForSequenceClassification"]))


def test_a_thorough_search_reads_the_leading_hits_again(root: Path, judge: str) -> None:
    with pinakes.open(root, {"neural.reranker": judge}) as library:
        library.sync()
        thorough = library.search(Query("tide in the harbour", profile="thorough"))
        balanced = library.search(Query("tide in the harbour"))
    named = {vote.retriever: vote.by for vote in thorough.hits[0].votes}
    assert (named["rerank"], named["meaning"]) == (reranker_name(Path(judge)), embedder_name("static"))
    assert "rerank" not in {vote.retriever for hit in balanced.hits for vote in hit.votes}


def test_a_model_of_the_user_s_embeds_everything_in_a_sync(root: Path, tmp_path: Path) -> None:
    folder = write_model(tmp_path / "tiny")
    with pinakes.open(root, {"neural.model": str(folder)}) as library:
        library.sync()
        models, made = library.models.list()
        (selected,) = (model for model in models if model.is_selected and not model.is_reranker)
        assert made == {selected.embedder}
        assert library.status().embedder == selected.embedder
        assert library.search("tide").missing == ()
    assert [kept.name for kept in (tmp_path / "home/.cache/pinakes").iterdir()] == ["vectors"]


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


def test_a_missing_model_for_keywords_is_said_everywhere(root: Path) -> None:
    with pinakes.open(root, {"keywords.model": "sentence-transformers:some/model"}) as library:
        with pytest.raises(ExtraMissing, match="sentence-transformers is not installed"):
            library.sync()
        status = library.status()
        assert not status.keywords_available
        assert "pip install" in status.keywords_message
        assert "sentence-transformers is not installed" in library.map().text()
        assert [found.topic for found in library.doctor() if not found.is_sound] == ["keywords"]
    with pinakes.open(root) as library:
        library.sync()
        assert (library.status().keywords_available, library.status().keywords_message) == (True, "")
