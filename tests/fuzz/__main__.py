"""Coverage-guided fuzzing, one target after another: `make fuzz-deep`, `python tests/fuzz [TARGET…] [--seconds N]`.

Each target runs in a process of its own under atheris, which keeps every input that reaches new code and goes on from
there. Exit code 0: nothing broke. 1: something did; its input is written to build/fuzz and belongs into `FOUND` of
test_fuzz_targets.py once it is mended. 75: atheris is not installed, which exists for Linux and macOS alone.
"""

from __future__ import annotations

import argparse
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))  # the kits; the folder itself was put there by Python

UNAVAILABLE = 75
_LONGEST_BYTES = 4096
_SLOWEST_S = 25
"""For one input; longer counts as hanging."""
_MOST_MB = 4096


def main() -> int:
    from fuzz.seeds import SEEDS

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("targets", nargs="*", default=sorted(SEEDS), metavar="TARGET")
    parser.add_argument("--seconds", type=int, default=600, help="for each target")
    parser.add_argument("--folder", type=Path, default=HERE.parents[1] / "build" / "fuzz", help="of inputs and finds")
    parser.add_argument("--run", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if find_spec("atheris") is None:
        sys.stdout.write("atheris is not installed; nothing was fuzzed.\n")
        return UNAVAILABLE
    if asked.run:
        run(asked.run, asked.folder / asked.run, asked.seconds)
    unknown = set(asked.targets) - set(SEEDS)
    if unknown:
        parser.error(f"no target is called {', '.join(sorted(unknown))}; there are {', '.join(sorted(SEEDS))}")
    return max([_fuzz(target, asked.folder, asked.seconds) for target in asked.targets])


def _fuzz(target: str, folder: Path, seconds: int) -> int:
    """Run one target in a process of its own, say how it went, and return 1 when something broke."""
    command = [sys.executable, "-P", str(HERE), "--run", target, "--seconds", str(seconds), "--folder", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False)
    covered = re.findall(r"cov: (\d+) .*?corp: (\d+)", done.stderr)
    tried = re.findall(r"^#(\d+)\s", done.stderr, re.MULTILINE)
    reached = f"{int(tried[-1]):,} inputs, {covered[-1][0]} edges, {covered[-1][1]} kept" if covered else "no inputs"
    sys.stdout.write(f"{target:14} {seconds:5} s   {reached}   {'nothing broke' if not done.returncode else 'BROKE'}\n")
    if done.returncode:
        sys.stdout.write(f"{done.stdout[-4000:]}\n{done.stderr[-600:]}\n")
    sys.stdout.flush()
    return int(done.returncode != 0)


def run(target: str, folder: Path, seconds: int) -> None:
    """Fuzz in this process, which ends here."""
    import atheris

    with atheris.instrument_imports(include=["pinakes"]):
        from fuzz.targets import TARGETS
    from fuzz.seeds import SEEDS

    kept, found = folder / "inputs", folder / "found"
    for one in (kept, found):
        one.mkdir(parents=True, exist_ok=True)
    for number, seed in enumerate(SEEDS[target]):
        (kept / f"seed-{number}").write_bytes(seed)
    os.environ["PINAKES_ADDED_FETCH"] = "false"
    bounds = (f"-max_total_time={seconds}", f"-max_len={_LONGEST_BYTES}", f"-timeout={_SLOWEST_S}")
    atheris.Setup(
        [target, *bounds, f"-rss_limit_mb={_MOST_MB}", f"-artifact_prefix={found}/", str(kept)], TARGETS[target]
    )
    atheris.Fuzz()


if __name__ == "__main__":
    sys.exit(main())
