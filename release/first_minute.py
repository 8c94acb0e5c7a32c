"""The first minute of the README, with an installed Pinakes and without the repository.

An environment enters. Every command of the session in README.md is run in a copy of its three documents and must print
what stands there; then the folder is served, and its page must answer. Raises `Failed` where that goes otherwise.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from urllib.request import urlopen

from release.distributions import Environment
from release.tools import PROJECT, Failed, clean_environment

DOCUMENTS = PROJECT / "examples" / "tidebook"
_PATIENCE_S = 120


def session(readme: str) -> list[tuple[str, str]]:
    """The commands of the README's second terminal session, each with what it prints."""
    block = re.findall(r"(?ms)^```console\n(\$ pinakes map.*?)^```$", readme)[0]
    steps = re.split(r"(?m)^\$ ", block)[1:]
    return [(command, printed) for command, _, printed in (step.partition("\n") for step in steps)]


def play(fresh: Environment, folder: Path) -> list[str]:
    """Run that session, then serve its documents; returns the commands."""
    env = clean_environment(folder / "home", [fresh.programs])
    root = folder / "tidebook"
    shutil.copytree(DOCUMENTS, root, ignore=shutil.ignore_patterns(".pinakes"))
    steps = session((PROJECT / "README.md").read_text(encoding="utf-8"))
    for command, expected in steps:
        done = subprocess.run(
            command, shell=True, cwd=root, env=env, capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
        if done.stdout.strip() != expected.strip():
            raise Failed(f"“{command}” printed\n{done.stdout}{done.stderr}\nand README.md says\n{expected}")
    with served(fresh, folder, "tidebook") as address:
        page = _body(f"{address}in/tidebook/search?query=harbour")
        if "Corrections" not in page:
            raise Failed("The served page does not show the section about harbours.")
        if not json.loads(_body(f"{address}map"))["documents"]:
            raise Failed("The served map is empty.")
    return [*(command for command, _ in steps), "pinakes serve"]


@contextmanager
def served(fresh: Environment, folder: Path, root: str) -> Iterator[str]:
    """`pinakes serve ROOT` on a free port while a block runs; yields its address."""
    env = clean_environment(folder / "home", [fresh.programs])
    with serving([str(fresh.pinakes), "serve", root, "--port", "0"], folder, env) as address:
        yield address


@contextmanager
def serving(command: Sequence[str], folder: Path, env: Mapping[str, str]) -> Iterator[str]:
    """A command that serves, in `folder` while a block runs; yields the address that it prints."""
    quiet = subprocess.DEVNULL
    server = subprocess.Popen(command, cwd=folder, env=env, stdout=quiet, stderr=subprocess.PIPE, text=True)
    try:
        said = []
        for line in server.stderr or ():
            said.append(line)
            if found := re.search(r"serving .* at (http://\S+)", line):
                break
        else:
            raise Failed(f"{' '.join(command)} ended:\n{''.join(said)}")
        yield found[1]
    finally:
        server.terminate()
        server.communicate(timeout=_PATIENCE_S)


def _body(address: str) -> str:
    with urlopen(address, timeout=_PATIENCE_S) as answer:
        return str(answer.read().decode())
