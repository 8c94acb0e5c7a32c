"""`make dist`, `make mcpb` and the checks of a release: `python -m release dist | mcpb | notes | tag TAG`."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

from release.distributions import (
    build,
    check_metadata,
    install,
    install_quickly,
    project_version,
    release_notes,
    write_sbom,
    write_sums,
)
from release.first_minute import play
from release.mcpb import make_bundle
from release.tools import PROJECT, Failed


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m release", description=__doc__)
    parser.add_argument("task", choices=("dist", "mcpb", "notes", "tag"))
    parser.add_argument("tag", nargs="?", default="", help="the tag that a release is made from, such as v0.1.0")
    parser.add_argument("--out", type=Path, default=PROJECT / "dist", help="where the files go; it is emptied by dist")
    given = parser.parse_args()
    try:
        if given.task == "dist":
            _make_distributions(given.out)
        elif given.task == "mcpb":
            _say(f"{make_bundle(given.out)} is a valid bundle.")
            write_sums(given.out)
        elif given.task == "notes":
            sys.stdout.write(release_notes(project_version()))
        elif given.tag != f"v{project_version()}":
            raise Failed(f"The tag is “{given.tag}” and pyproject.toml says {project_version()}: v{project_version()}.")
        else:
            release_notes(project_version())
    except Failed as failed:
        sys.stderr.write(f"{failed}\n")
        return 1
    return 0


def _make_distributions(out: Path) -> None:
    shutil.rmtree(out, ignore_errors=True)
    built = build(out)
    check_metadata(built)
    _say(f"Built and checked {', '.join(file.name for file in built)}.")
    with tempfile.TemporaryDirectory() as folder:
        for file, installing in zip(built, (install, install_quickly), strict=True):
            place = Path(folder, file.suffix)
            place.mkdir()
            fresh = installing(file, place / "environment")
            commands = play(fresh, place)
            _say(f"{file.name}, installed into a fresh environment, ran {len(commands)} commands of README.md.")
        packages = write_sbom(fresh, out / f"pinakes-{project_version()}.cdx.json")
    _say(f"The list of materials names {packages} packages; {write_sums(out)} holds the hashes.")


def _say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
