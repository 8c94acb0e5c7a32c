"""Models get names, and what can be told of them without loading any."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from msgspec import to_builtins

from kits.bert import WIDTH, scorer_weights, write_model
from kits.endpoint import Reply, serving
from pinakes.errors import ConfigError, ExtraMissing, ModelFailed
from pinakes.neural import embedder_name, list_models, load_embedder, load_reranker, model_names
from pinakes.neural.add_model import add_folder, add_spelling, name_from, remove_model
from pinakes.neural.registry import models_folder
from pinakes.records import Abstention, Traits

pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")


@pytest.fixture(autouse=True)
def home(new_user: Path) -> Path:
    return new_user / ".local" / "share" / "pinakes" / "models"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_model(tmp_path / "tiny")


def test_a_folder_is_copied_and_answers_to_its_name(folder: Path, home: Path) -> None:
    before = load_embedder(str(folder)).encode(["tide"])
    added = add_folder(folder, "tiny")
    assert (added.name, added.engine, added.dimensions, added.problem) == ("tiny", "onnx", WIDTH, "")
    assert added.embedder == embedder_name(str(folder))
    (folder / "model.onnx").unlink()
    assert load_embedder("tiny").encode(["tide"]).tobytes() == before.tobytes()
    assert model_names() == ("static", "docs", "tiny")
    assert [one.name for one in home.iterdir()] == ["tiny"]
    assert remove_model("tiny")
    assert model_names() == ("static", "docs")


def test_only_what_a_model_consists_of_is_copied(folder: Path, home: Path) -> None:
    (folder / "modeling_tiny.py").write_text("raise SystemExit")
    (folder / "registered.json").write_text('{"model": "http://elsewhere.example/v1#m", "key_variable": "HOME"}')
    (folder / "pinakes.json").write_text('{"dense_weight": 0.7, "model": "http://elsewhere.example/v1#m"}')
    add_folder(folder, "tiny")
    assert sorted(one.name for one in (home / "tiny").iterdir()) == [
        "config.json",
        "model.onnx",
        "pinakes.json",
        "tokenizer.json",
    ]
    assert json.loads((home / "tiny" / "pinakes.json").read_text()) == to_builtins(Traits(dense_weight=0.7))


def test_a_model_that_does_not_work_gets_no_name(folder: Path, home: Path) -> None:
    (folder / "model.onnx").write_bytes(b"not a model")
    with pytest.raises(ModelFailed, match="cannot be run"):
        add_folder(folder, "tiny")
    assert list(home.iterdir()) == []


def test_a_name_is_given_once_and_never_that_of_another_kind(folder: Path) -> None:
    add_folder(folder, "tiny")
    for name, complaint in (("tiny", "already"), ("static", "cannot be"), ("a/b", "cannot be"), ("..", "cannot be")):
        with pytest.raises(ConfigError, match=complaint):
            add_folder(folder, name)


def test_an_address_is_asked_once_and_remembered_with_the_name_of_its_key(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "s3cret")
    with serving() as server:
        added = add_spelling(server.address, "words", "MY_KEY", 5.0)
        load_embedder("words").encode(["tide"])
    assert {heard.key for heard in server.heard} == {"Bearer s3cret"}
    assert (added.engine, added.place, added.dimensions) == ("endpoint", server.address, 0)
    assert "s3cret" not in (home / "words" / "registered.json").read_text()
    assert embedder_name("words") == embedder_name(server.address)
    monkeypatch.delenv("MY_KEY")
    with pytest.raises(ConfigError, match="MY_KEY holds no key"):
        load_embedder("words")


def test_an_address_that_does_not_answer_is_not_remembered() -> None:
    with serving(lambda heard: Reply(b"no such model", 404)) as server, pytest.raises(ModelFailed):
        add_spelling(server.address, "words", "", 5.0)
    assert model_names() == ("static", "docs")


def test_weights_can_be_given_beside_a_model(folder: Path, home: Path) -> None:
    assert load_embedder(str(folder)).traits == Traits(dense_weight=0.55, noise=0.35)
    (folder / "pinakes.json").write_text('{"dense_weight": 0.7, "noise": 0.1}')
    assert load_embedder(str(folder)).traits == Traits(dense_weight=0.7, noise=0.1)
    fit = {"bias": -4, "coverage": 2.5, "strength": 0.5, "unseen": -1, "closeness": 5.5}
    (folder / "pinakes.json").write_text(json.dumps({"abstention": fit}))
    assert load_embedder(str(folder)).traits == Traits(abstention=Abstention(-4.0, 2.5, 0.5, -1.0, 5.5))


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ('{"noise": 2}', "noise must be a number from 0 to 1"),
        ('{"noise": "high"}', "noise must be"),
        ('{"dense_weight": true}', "dense_weight must be"),
        ('{"abstention": 3}', "abstention must be an object"),
        ('{"abstention": {"bias": -4}}', r"abstention\.coverage must be a number"),
        ('{"abstention": {"bias": NaN}}', r"abstention\.bias must be a number"),
        ("[]", "holds no settings"),
        ("{", "cannot be read"),
    ],
)
def test_weights_that_make_no_sense_are_refused_by_file_and_key(folder: Path, wrong: str, complaint: str) -> None:
    (folder / "pinakes.json").write_text(wrong)
    with pytest.raises(ConfigError, match=rf"pinakes\.json.*{complaint}"):
        load_embedder(str(folder))


def test_the_list_tells_what_is_selected_and_what_is_wrong(folder: Path, home: Path) -> None:
    add_folder(folder, "tiny")
    (home / "broken").mkdir()
    listed = {model.name: model for model in list_models("tiny")}
    assert list(listed) == ["auto", "static", "docs", "docs-rerank", "broken", "tiny"]
    assert [name for name, model in listed.items() if model.is_selected] == ["tiny"]
    assert listed["static"].dimensions == 256
    assert "holds no model" in listed["broken"].problem
    assert listed["tiny"].size_bytes > 1000
    chosen = {model.name: model for model in list_models("./nowhere")}["./nowhere"]
    assert chosen.is_selected
    assert "holds no model" in chosen.problem


def test_a_cross_encoder_is_known_by_its_settings(folder: Path) -> None:
    write_model(folder, scorer_weights(), architectures=["BertForSequenceClassification"])
    added = add_folder(folder, "judge")
    assert added.is_reranker
    assert len(load_reranker("judge").score("tide", ["tide", "harbour"])) == 2


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("./models/e5-small/", "e5-small"),
        ("http://127.0.0.1:11434/v1#nomic-embed-text", "nomic-embed-text"),
        ("sentence-transformers/all-MiniLM-L12-v2", "all-MiniLM-L12-v2"),
        ("sentence-transformers:a/b.c", "b-c"),
        ("./3model", "m-3model"),
    ],
)
def test_a_model_nobody_named_is_called_as_it_is_elsewhere(source: str, name: str) -> None:
    assert name_from(source) == name


def test_without_a_home_there_is_no_place_for_models(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("HOME")
    assert models_folder() is None
    assert model_names() == ("static", "docs")
    with pytest.raises(ConfigError, match="Set HOME"):
        add_folder(folder, "tiny")


def test_what_is_not_installed_says_how_to_get_it() -> None:
    try:
        embedder_name("sentence-transformers:anything")
    except ExtraMissing as error:
        assert "pip install pinakes[sentence-transformers]" in str(error)
    except ConfigError as error:
        assert "pinakes model add --from-hub anything" in str(error)


def test_a_hub_that_cannot_be_reached_leaves_nothing_behind(tmp_path: Path, home: Path) -> None:
    pytest.importorskip("huggingface_hub")
    done = subprocess.run(
        [sys.executable, "-m", "pinakes", "model", "add", "--from-hub", "nobody/nothing"],
        cwd=tmp_path,
        env={**os.environ, "HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path / "hub")},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 2
    assert done.stderr.startswith("pinakes: nobody/nothing cannot be fetched: ")
    assert not home.exists()


def test_without_the_hub_s_package_the_extra_is_named(tmp_path: Path) -> None:
    program = (
        "import sys, importlib.util as u; old = u.find_spec;"
        "u.find_spec = lambda name, *rest: None if name == 'huggingface_hub' else old(name, *rest);"
        "from pinakes.neural.add_model import add_from_hub; add_from_hub('nobody/nothing', 'x')"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "pip install pinakes[hub]" in done.stderr
