"""`python -m training prepare|run`: see README.md."""

from __future__ import annotations

import argparse
from pathlib import Path


def main() -> None:
    """Read the command line and do one step."""
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    steps = parser.add_subparsers(dest="step", required=True)
    preparing = steps.add_parser("prepare", help="make pairs and questions from folders of Markdown")
    preparing.add_argument("folders", nargs="+", type=Path, help="repositories to learn from, a folder each")
    preparing.add_argument("--held-out", nargs="*", type=Path, default=[], help="repositories to judge by")
    preparing.add_argument("--sets", nargs="*", type=Path, default=[], help="graded sets to report on")
    preparing.add_argument("--out", type=Path, required=True)
    running = steps.add_parser("run", help="train the variants and judge them")
    running.add_argument("material", type=Path, help="the folder that prepare made")
    running.add_argument("--base", type=Path, required=True, help="the folder of all-MiniLM-L6-v2")
    running.add_argument("--out", type=Path, required=True)
    running.add_argument("--variants", nargs="*", default=[], help="names from variants.py; default: all")
    running.add_argument("--tiny", action="store_true", help="a few steps, to see that it works")
    asked = parser.parse_args()
    if asked.step == "prepare":
        from training.prepare import prepare

        prepare(asked.folders, asked.held_out, asked.sets, asked.out)
    else:
        from training.run import run

        run(asked.material, asked.base, asked.out, asked.variants, is_tiny=asked.tiny)


if __name__ == "__main__":
    main()
