"""Nothing found in a folder is run: neither by us nor by a process that we start.

A tree is planted with files that Python, pip and git would run if they looked into the present folder. Each leaves a
mark. Every command of the command line runs in that tree as a user would call it, and no mark may be left.
"""

from __future__ import annotations

import ast
import json
import os
import signal
import site
import subprocess
import sys
from pathlib import Path

import pytest

import pinakes
from kits.git import Repo, needs_git
from kits.http import Server
from kits.lsp import editing
from kits.trees import write_tree
from kits.waiting import HANG_S
from kits.work import EDIT, working
from pinakes.other_python import environment as environment_of_python
from pinakes.serve.cli import COMMANDS

SOURCE = Path(pinakes.__file__).parent
SCRIPT = Path(sys.executable).parent / "pinakes"
STARTS = {
    "conversion/guarded.py": "python(), in NEUTRAL, with environment()",
    "evaluation/speed.py": "python(), in NEUTRAL, with environment()",
    "index/worker.py": "python(), in NEUTRAL, with environment()",
    "library/work/grep.py": "python(), in NEUTRAL, with environment()",
    "serve/cli/later.py": "python(), in NEUTRAL, with environment()",
    "serve/cli/model.py": "python(), in NEUTRAL, with environment()",
    "serve/open_browser.py": "python(), in NEUTRAL, with environment()",
    "serve/workers/supervisor.py": "a fork, which runs what is loaded and reads nothing more than this process would",
    "sources/git/command.py": "git found outside of the documents, in an empty repository, with an environment of ours",
    "sources/git/mirror.py": "git found outside of the documents, in an empty folder, into a repository that it made",
}
"""Where processes are started, and how."""
STARTING = {
    "subprocess": {"run", "Popen", "call", "check_call", "check_output", "getoutput", "getstatusoutput"},
    "os": {"system", "popen", "fork", "forkpty", "posix_spawn", "posix_spawnp", "startfile"},
    "asyncio": {"create_subprocess_exec", "create_subprocess_shell"},
}
FORBIDDEN = {"multiprocessing", "pty", "webbrowser", "runpy", "ProcessPoolExecutor"}
"""Ways to start a process that take the present folder along."""
MODULES = (
    *("pip", "json", "sqlite3", "numpy", "typing", "click", "yaml", "tantivy", "html_to_markdown", "uvicorn", "mcp"),
    *("onnxruntime", "pickle", "sitecustomize", "usercustomize", "setup", "conftest", "pinakes", "encodings"),
    *("tree_sitter", "tree_sitter_python", "msgspec", "pygls", "lsprotocol", "openai", "anthropic", "httpx2", "conf"),
)
HOOKS = ("post-checkout", "pre-commit", "fsmonitor-watchman", "reference-transaction")
PAGES = 410
"""Enough for worker processes."""


def _starts(tree: ast.Module) -> list[ast.Call]:
    found = []
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
        ):
            module, name = node.func.value.id, node.func.attr
            if name in STARTING.get(module, ()) or (module == "os" and name.startswith(("exec", "spawn"))):
                found.append(node)
    return found


def test_processes_are_started_in_known_places_alone_each_with_a_folder_and_an_environment() -> None:
    found = {}
    for file in SOURCE.rglob("*.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        names = {
            part
            for node in ast.walk(tree)
            if isinstance(node, ast.Import | ast.ImportFrom)
            for alias in node.names
            for part in (alias.name.partition(".")[0], (getattr(node, "module", "") or "").partition(".")[0])
        }
        assert not names & FORBIDDEN, file
        if starts := _starts(tree):
            found[file.relative_to(SOURCE).as_posix()] = starts
    assert sorted(found) == sorted(STARTS)
    for name, starts in found.items():
        for start in starts:
            if STARTS[name].startswith("a fork"):
                assert ast.unparse(start) == "os.fork()"
                continue
            assert {"cwd", "env"} <= {keyword.arg for keyword in start.keywords}, f"{name}:{start.lineno}"
            if "python()" in STARTS[name]:
                assert "shell" not in ast.dump(start)
                assert "[sys.executable" not in (SOURCE / name).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A repository with a trap for everything that might look into the present folder; the marks lie beside it."""
    top = tmp_path_factory.mktemp("planted")
    marks = top / "marks"
    marks.mkdir()
    repo = Repo(top / "tree")
    write_tree(
        repo.folder,
        {
            **{f"page{number}.md": f"# Page {number}\n\nThe tide of day {number}.\n" for number in range(PAGES)},
            "page.html": "<title>Tide</title><h1>Tide</h1><p>High water.</p>",
            "questions.txt": "when does the tide come?\n",
            "pinakes.toml": "[code]\nenabled = true\n",
        },
    )
    repo.commit("Write the pages")
    for name in MODULES:
        spring = f"open({str(marks)!r} + '/{name}', 'a').close()\n"
        write_tree(repo.folder, {f"{name}.py": spring, f"bin/{name}.py": spring})
    write_tree(
        repo.folder,
        {
            "pinakes/__init__.py": f"open({str(marks / 'package')!r}, 'a').close()\n",
            "evil.pth": f"import os; open({str(marks / 'pth')!r}, 'a').close()\n",
            "pyproject.toml": "[build-system]\nrequires = []\nbuild-backend = 'setup'\nbackend-path = ['.']\n",
        },
    )
    program = f"#!/bin/sh\n: > {marks}/program-$(basename $0)\n"
    for place in ("git", "bin/git", "pip", "bin/pip", "python", "bin/python", "bin/less", "bin/pager"):
        write_tree(repo.folder, {place: program})
        (repo.folder / place).chmod(0o755)
    for hook in HOOKS:
        write_tree(repo.folder, {f".git/hooks/{hook}": program})
        (repo.folder / ".git/hooks" / hook).chmod(0o755)
    return top


@pytest.fixture
def environment(planted: Path) -> dict[str, str]:
    """That of a careless user: the present folder and one of the tree come first on PATH. Beside the tree lies a folder
    that hides onnxruntime, so that `model add` has something to install."""
    write_tree(
        planted / "hiding",
        {
            "sitecustomize.py": "import sys, importlib.util as u\nfind = u.find_spec\n"
            "u.find_spec = lambda name, *a: None if name == 'onnxruntime' else find(name, *a)\n"
        },
    )
    before = [".", "", "bin", str(planted / "tree" / "bin")]
    plain = {key: value for key, value in os.environ.items() if not key.startswith(("PINAKES_", "XDG_", "PYTHON"))}
    return {
        **plain,
        "HOME": str(planted / "home"),
        "PATH": os.pathsep.join([*before, os.environ.get("PATH", os.defpath)]),
        "PIP_NO_INDEX": "1",
        "PINAKES_NEURAL_MODEL": "static",
    }


def marks_in(planted: Path) -> list[str]:
    return sorted(os.listdir(planted / "marks"))


def run(planted: Path, environment: dict[str, str], *words: str) -> str:
    done = subprocess.run(
        [str(SCRIPT), *words],
        cwd=planted / "tree",
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert "Traceback" not in done.stderr, f"{words}: {done.stderr[-2000:]}"
    assert done.returncode in (0, 1), f"{words}: {done.returncode} {done.stderr[-2000:]}"
    return done.stdout


@needs_git
def test_the_traps_would_spring(planted: Path, environment: dict[str, str]) -> None:
    for words in ([sys.executable, "-c", "import pip, json"], ["git", "--version"]):
        subprocess.run(words, cwd=planted / "tree", env=environment, capture_output=True, check=False)
    found = marks_in(planted)
    for name in found:
        (planted / "marks" / name).unlink()
    assert {"json", "pip", "program-git"} <= set(found)


CALLS: dict[str, tuple[tuple[str, ...], ...]] = {
    "init": (("init",),),
    "sync": (("sync", "--rebuild"),),
    "watch": (),
    "map": (("map", "--since", "HEAD"),),
    "search": (("search", "tide"),),
    "read": (("read", "page1.md"),),
    "links": (("links", "page1.md"),),
    "history": (("history", "pages"),),
    "check": (("check",),),
    "move": (("move", "page1.md", "moved/"), ("move", "page1.md", "moved/", "--apply", "--force"), ("move", "--undo")),
    "rename": (("rename", "page1.md", "other", "--apply", "--force"), ("rename", "--undo")),
    "publish": (("publish", "../site"),),
    "eval": (("eval", "--self"),),
    "bench": (("bench", "questions.txt", "--rounds", "1"),),
    "remember": (("remember", "Tides: [[page1.md]]", "--title", "one"), ("remember", "More.", "--title", "two")),
    "recall": (("recall", "tides"),),
    "memories": (("memories",),),
    "update": (("update", "one", "--verified"),),
    "append": (("append", "one", "more"),),
    "archive": (("archive", "one"),),
    "merge": (("merge", "one", "two", "--title", "three"),),
    "forget": (("forget", "three"),),
    "restore": (("restore", "three"),),
    "add": (("add", "page.html"),),
    "get": (("get", "page.html"),),
    "list": (("list",),),
    "updates": (("updates", "--apply"),),
    "drop": (("drop", "page.html"),),
    "status": (("status",),),
    "serve": (),
    "work": (),
    "token": (("token",),),
    "log": (("log",),),
    "model": (("model", "list"),),
    "mcp": (("mcp", "install", "cursor", "--print"),),
    "lsp": (),
    "context": (("context", "--mode", "code", "--select", "page1.md"),),
    "ask": (("ask", "--sessions"), ("ask", "--undo")),
    "doctor": (("doctor",),),
    "library": (("library", "add", "here", "--git", "."), ("library", "sync"), ("library", "list")),
    "plugins": (("plugins",),),
    "migrate": (),
    "worker": (),
}
"""What is called of each command; servers have tests of their own, `migrate` and `worker` open a database alone."""


@needs_git
def test_every_command_is_called_here() -> None:
    assert set(CALLS) == set(COMMANDS)


@pytest.mark.parametrize("name", CALLS)
def test_no_command_runs_anything_of_the_folder_it_is_called_in(
    planted: Path, environment: dict[str, str], name: str
) -> None:
    for words in CALLS[name]:
        run(planted, environment, *words)
        assert marks_in(planted) == [], words


def test_a_package_is_installed_by_the_pip_of_this_python(planted: Path, environment: dict[str, str]) -> None:
    hidden = {**environment, "PYTHONPATH": str(planted / "hiding")}
    done = subprocess.run(
        [str(SCRIPT), "model", "add", "minilm", "--yes"],
        cwd=planted / "tree",
        env=hidden,
        capture_output=True,
        text=True,
        check=False,
    )
    assert "onnxruntime" in done.stderr, done.stderr  # pip was asked
    assert marks_in(planted) == []


def test_another_python_does_not_inherit_the_present_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join((".", "", "bin", "/opt/own")))
    assert environment_of_python()["PYTHONPATH"].split(os.pathsep) == [str(SOURCE.parent), "/opt/own"]


def test_another_python_finds_what_is_installed_after_the_standard_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "/opt/own")
    monkeypatch.setattr(site, "getsitepackages", lambda: [str(SOURCE.parent)])
    assert environment_of_python()["PYTHONPATH"] == "/opt/own"


@needs_git
def test_a_workspace_and_an_editor_run_nothing_of_the_folder_they_work_in(
    planted: Path, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = planted / "tree"
    write_tree(tree, {"page2.md": "# Page 2\n\nChanged.\n"})
    monkeypatch.delenv("XDG_DATA_HOME")  # where the key of whoever ran the commands lies
    for name, value in {**environment, "GIT_AUTHOR_NAME": "Ada", "GIT_AUTHOR_EMAIL": "ada@example.org"}.items():
        monkeypatch.setenv(name, value)
    monkeypatch.chdir(tree)
    monkeypatch.setenv("PYTHONSAFEPATH", "1")  # the kits start a module where users start a script
    with working(tree, ["All is well.", EDIT.replace("docs/tides.md", "page4.md")]) as work:
        assert work.get("grep", q="t[i]de", regex=True)["matches"]
        assert work.get("review")["changes"]
        work.post("review", on=True, range="")
        work.ask("What is missing?")
        work.post("commit", message="Mine", paths=["page2.md"])
    with editing(cwd=tree) as client:
        client.greet(tree)
        uri = client.open(tree / "page1.md")
        client.ask("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        client.open_text((tree / "json.py").as_uri(), "def f():\n    pass\n")
        assert client.end() == 0
    assert marks_in(planted) == []


@needs_git
def test_servers_run_nothing_of_the_folder_they_serve(planted: Path, environment: dict[str, str]) -> None:
    tree = planted / "tree"
    with subprocess.Popen(
        [str(SCRIPT), "serve", "--port", "0", "--no-token"],
        cwd=tree,
        env=environment,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        said = process.stderr.readline()
        server = Server(process, int(said.rstrip().rstrip("/").rpartition(":")[2]))
        try:
            assert server.get("/search", query="tide").status == 200
            server.post("/history", {"query": "pages"})
            assert server.post("/add", {"source": "page.html"}).status == 200
            assert server.post("/updates", {}).status == 200
        finally:
            process.send_signal(signal.SIGTERM)
    asked = [
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": tool, "arguments": {"query": "tide"}}}
        for tool in ("search", "history")
    ]
    subprocess.run(
        [str(SCRIPT), "mcp"],
        cwd=tree,
        env=environment,
        input="\n".join(map(json.dumps, asked)) + "\n",
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    with subprocess.Popen([str(SCRIPT), "watch"], cwd=tree, env=environment, stderr=subprocess.PIPE) as process:
        assert process.stderr is not None
        assert b"watching" in process.stderr.readline()
        process.send_signal(signal.SIGTERM)
    assert marks_in(planted) == []
