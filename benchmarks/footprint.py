"""What does an installation weigh? `python -m benchmarks.footprint` lists what `pip install pinakes` brings.

The environment that runs it enters, a table leaves: the packages that Pinakes asks for, each with what it brings
along, its size on disk and the processor time of its import; then the whole. A package that several others bring is
counted with the first of them by name, so the sizes add up to the whole.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path

from packaging.requirements import Requirement

ROUNDS = 9
_CALLED = {
    "charset-normalizer": "charset_normalizer",
    "graspologic-native": "graspologic_native",
    "pystemmer": "Stemmer",
    "pyyaml": "yaml",
}
"""Packages whose module has another name than they have."""
_CLOCK = "import time; began = time.process_time(); import {}; print(time.process_time() - began)"


@dataclass(frozen=True, slots=True)
class Weight:
    """A package that Pinakes asks for."""

    name: str
    size_bytes: int
    """Of its own files."""
    brought: tuple[str, ...]
    """The packages that it brings, beyond those that an earlier one brought."""
    brought_bytes: int
    import_s: float


def normal(name: str) -> str:
    """A name of a package as the index compares it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def requirements(name: str, extras: frozenset[str] = frozenset()) -> Iterator[tuple[str, frozenset[str]]]:
    """The installed packages that one asks for, each with the extras that it is asked for with."""
    for line in metadata.requires(name) or ():
        wanted = Requirement(line)
        marker = wanted.marker
        if marker and not any(marker.evaluate({"extra": extra}) for extra in ("", *extras)):
            continue
        if _is_installed(wanted.name):
            yield normal(wanted.name), frozenset(wanted.extras)


def size_of(name: str) -> int:
    """The bytes of an installed package's files; compiled Python files are not counted, since Python makes them."""
    paths = (Path(str(file.locate())) for file in metadata.files(name) or () if file.suffix != ".pyc")
    return sum(path.stat().st_size for path in paths if path.is_file())


def weights(root: str = "pinakes", rounds: int = ROUNDS) -> list[Weight]:
    """The packages that `root` asks for, by name."""
    asked = sorted({name for name, _ in requirements(root)})
    counted = {normal(root), *asked}
    found = []
    for name in asked:
        brought = tuple(_brought(name, counted))
        counted |= set(brought)
        found.append(Weight(name, size_of(name), brought, sum(map(size_of, brought)), import_time(name, rounds)))
    return found


def import_time(name: str, rounds: int) -> float:
    """The processor time of an import, as the median of fresh processes."""
    module = _CALLED.get(name, name.replace("-", "_"))
    times = [
        float(subprocess.run([sys.executable, "-c", _CLOCK.format(module)], capture_output=True, check=True).stdout)
        for _ in range(rounds)
    ]
    return statistics.median(times)


def report(found: list[Weight], own_bytes: int) -> str:
    """The table of the page docs/dependencies.md."""
    lines = ["| package | size | brings | together | import |", "|---|---:|---|---:|---:|"]
    for weight in sorted(found, key=lambda weight: -weight.size_bytes - weight.brought_bytes):
        together = weight.size_bytes + weight.brought_bytes
        lines.append(
            f"| `{weight.name}` | {_megabytes(weight.size_bytes)} | {', '.join(weight.brought)} | "
            f"{_megabytes(together)} | {weight.import_s * 1000:.0f} ms |"
        )
    packages = sum(1 + len(weight.brought) for weight in found)
    whole = own_bytes + sum(weight.size_bytes + weight.brought_bytes for weight in found)
    lines.append(f"| **Pinakes and {packages} packages** | {_megabytes(own_bytes)} |  | {_megabytes(whole)} |  |")
    return "\n".join(lines)


def _brought(name: str, counted: set[str]) -> list[str]:
    """What a package asks for, and what that asks for, in the order of names; nothing that is counted already."""
    found: set[str] = set()
    waiting: list[tuple[str, frozenset[str]]] = [(name, frozenset())]
    while waiting:
        for one, extras in requirements(*waiting.pop()):
            if one not in counted and one not in found:
                found.add(one)
                waiting.append((one, extras))
    return sorted(found)


def _is_installed(name: str) -> bool:
    try:
        metadata.distribution(name)
    except metadata.PackageNotFoundError:
        return False
    return True


def _megabytes(size: int) -> str:
    return f"{size / 1e6:.1f} MB"


def main() -> None:
    """Print the table of this environment."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="fresh processes for each import")
    print(report(weights(rounds=parser.parse_args().rounds), size_of("pinakes")))


if __name__ == "__main__":
    main()
