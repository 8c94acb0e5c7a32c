"""What does rounding the transformer cost? NDCG@10 of the weights in float and of the model in the package.

    python -m training.rounded MATERIAL TRANSFORMER MODEL.onnx [EXAM…]

Needs torch, transformers and onnxruntime in one place; the exams are those of MATERIAL, all or those whose names begin
as given. Both models get the same word pieces, each text alone when it is rounded, as Pinakes runs it.
"""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torch
import torch.nn.functional as F

from pinakes.neural.onnx import open_session
from pinakes.processors import processors
from training.encoder import DEVICE, Tokens, load_model
from training.judge import Encode, by_transformer, cut, judge
from training.material import load
from training.pieces import Pieces


def by_rounded(model: Path) -> Encode:
    """Texts by the ONNX model of our own making."""
    session = open_session(model)

    def encode(pieces: Pieces) -> torch.Tensor:
        def one(number: int) -> torch.Tensor:
            return torch.from_numpy(session.run(None, {"ids": pieces.padded([number])[0].cpu().numpy()})[0][0])

        with ThreadPoolExecutor(processors()) as pool:
            return F.normalize(torch.stack(list(pool.map(one, range(len(pieces))))), dim=-1).to(DEVICE)

    return encode


def main(material: Path, transformer: Path, model: Path, wanted: list[str]) -> None:
    """A line for each exam: float, rounded, difference, cosine."""
    tokens, exact, rounded = Tokens(transformer), by_transformer(load_model(transformer)), by_rounded(model)
    for exam in load(material).exams:
        if not exam.questions or (wanted and not any(exam.name.startswith(one) for one in wanted)):
            continue
        ((texts, questions),) = cut([exam], tokens)
        found = [(encode(texts), encode(questions)) for encode in (exact, rounded)]
        before, after = (judge([exam], [one])[exam.name] for one in found)
        near = (found[0][0] * found[1][0]).sum(1).mean().item()
        print(f"{exam.name}: {before:.4f} {after:.4f} {after - before:+.4f}, cosine {near:.4f}", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4:])
