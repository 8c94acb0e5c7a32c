"""Every folder of examples/ does what its README says, with an installed Pinakes."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from release.distributions import Environment, install_quickly
from release.tools import clean_environment, needed, run, tool

from kits.git import Repo
from kits.house import HOME
from kits.trees import write_tree

pytestmark = pytest.mark.timeout(600)  # packages may have to be fetched first

EXAMPLES = HOME / "examples"


def copied(name: str, to: Path) -> Path:
    """An example where it can be changed."""
    return Path(shutil.copytree(EXAMPLES / name, to / name, ignore=shutil.ignore_patterns(".pinakes", "__pycache__")))


def command(fresh: Environment, root: Path, *words: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """One command in an example, as its reader would type it."""
    env = clean_environment(root.parent / "home", [fresh.programs])
    return subprocess.run(
        words, cwd=root, env=env, input=given, capture_output=True, text=True, timeout=120, check=False
    )


def test_every_example_is_listed_and_every_listed_one_is_there() -> None:
    listed = re.findall(r"(?m)^\| \[(\w+)\]\(\1/README\.md\)", (EXAMPLES / "README.md").read_text(encoding="utf-8"))
    assert sorted(listed) == sorted(one.name for one in EXAMPLES.iterdir() if one.is_dir())


def test_the_documentation_is_whole_and_a_break_is_found(installed: Environment, tmp_path: Path) -> None:
    root = copied("documentation", tmp_path)
    workflow = (root / ".github/workflows/docs.yml").read_text(encoding="utf-8")
    assert "--format github --sarif pinakes.sarif --strict" in workflow
    checked = command(installed, root, "pinakes", "check", "--strict")
    assert (checked.returncode, checked.stdout) == (0, "nothing found\n"), checked
    (root / "docs/guide/wick.md").rename(root / "docs/guide/wicks.md")
    broken = command(installed, root, "pinakes", "check", "--format", "github", "--sarif", "pinakes.sarif", "--strict")
    assert broken.returncode == 1
    assert "::error file=docs/guide/install.md,line=4,title=broken-link::" in broken.stdout
    assert json.loads((root / "pinakes.sarif").read_text())["runs"][0]["results"]
    report = command(installed, root, "pinakes", "check", "--strict", "--format", "gitlab")
    assert {one["location"]["path"] for one in json.loads(report.stdout)} >= {"README.md", "docs/guide/install.md"}


def test_a_commit_that_breaks_a_link_is_stopped(installed: Environment, tmp_path: Path) -> None:
    """The hook as pre-commit runs it, with the Pinakes that is installed in place of one that it would install."""
    if tool("pre-commit") is None:
        pytest.skip("pre-commit is not installed: pip install '.[dist]'")
    root = copied("documentation", tmp_path)
    repo = Repo(root)
    (wanted,) = yaml.safe_load((HOME / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))
    (theirs,) = yaml.safe_load((root / ".pre-commit-config.yaml").read_text(encoding="utf-8"))["repos"]
    (hook,) = theirs["hooks"]
    local = {"repo": "local", "hooks": [{**wanted, **hook, "language": "system"}]}
    (root / ".pre-commit-config.yaml").write_text(json.dumps({"repos": [local]}), encoding="utf-8")
    repo.commit("all of it")
    words = [str(needed("pre-commit")), "run"]
    assert "Passed" in command(installed, root, *words).stdout
    repo.git("rm", "--quiet", "docs/guide/wick.md")
    stopped = command(installed, root, *words)
    assert stopped.returncode == 1 and "broken-link “wick.md#trim” does not exist" in stopped.stdout, stopped


def test_its_questions_are_answered_and_it_can_be_published(installed: Environment, tmp_path: Path) -> None:
    root = copied("documentation", tmp_path)
    told = command(installed, root, "pinakes", "eval", "questions.jsonl")
    assert "3 questions" in told.stdout, told
    published = command(installed, root, "pinakes", "publish", "site")
    assert published.returncode == 0, published
    assert "trim" in (root / "site" / "docs/guide/wick.md").read_text().lower()


def test_an_agent_finds_reads_and_remembers(installed: Environment, tmp_path: Path) -> None:
    root = copied("agent", tmp_path)
    server = json.loads((root / ".mcp.json").read_text())["mcpServers"]["pinakes"]
    hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}
    note = {"text": "The report runs at two. See [[docs/worker.md]].", "title": "Report at two"}
    calls = [
        ("map", {}),
        ("recall", {"query": "why ten jobs"}),
        ("search", {"query": "where do jobs wait?"}),
        ("remember", note),
        ("recall", {"query": "when does the report run"}),
    ]
    sent: list[dict[str, object]] = [
        {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        *(
            {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": name, "arguments": given}}
            for number, (name, given) in enumerate(calls, 1)
        ),
    ]
    answers = dict(_told(installed, root, [server["command"], *server["args"]], sent))
    texts = [answers[number]["result"]["content"][0]["text"] for number in range(1, len(calls) + 1)]
    assert "decisions.md" in texts[0] and "worker.md" in texts[0]
    assert "ten is on purpose" in texts[1]
    assert "docs/decisions.md" in texts[2]
    assert (root / ".memories" / "report-at-two.md").exists()
    assert "The report runs at two." in texts[4]


def _told(
    fresh: Environment, root: Path, words: list[str], sent: list[dict[str, object]]
) -> Iterator[tuple[int, dict[str, dict[str, list[dict[str, str]]]]]]:
    """Messages to a server, each sent when the one before is answered."""
    env = clean_environment(root.parent / "home", [fresh.programs])
    with subprocess.Popen(
        [str(fresh.programs / words[0]), *words[1:]],
        cwd=root,
        env=env,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as server:
        assert server.stdin is not None and server.stdout is not None
        for message in sent:
            server.stdin.write(json.dumps(message) + "\n")
            server.stdin.flush()
            while "id" in message:
                answer = json.loads(server.stdout.readline())
                if answer.get("id") == message["id"]:
                    yield answer["id"], answer
                    break
        server.stdin.close()


def test_what_the_agent_is_told_is_what_pinakes_says_today(installed: Environment, tmp_path: Path) -> None:
    root = copied("agent", tmp_path)
    assert command(installed, root, "pinakes", "mcp", "instructions").stdout == (root / "AGENTS.md").read_text()
    skill = command(installed, root, "pinakes", "mcp", "instructions", "--skill").stdout
    assert skill == (root / ".claude/skills/pinakes/SKILL.md").read_text()
    assert command(installed, root, "pinakes", "check", "--strict").stdout == "nothing found\n"


def test_a_program_answers_from_its_manual(installed: Environment, tmp_path: Path) -> None:
    root = copied("embedding", tmp_path)
    readme = (root / "README.md").read_text(encoding="utf-8")
    block = re.findall(r"(?ms)^```console\n(.*?)^```$", readme)[0]
    steps = re.findall(r'\$ python lantern.py help "(.*?)"\n(.*?)(?=^\$|\Z)', block, re.DOTALL | re.MULTILINE)
    assert len(steps) == 2
    for question, expected in steps:
        done = command(installed, root, str(installed.python), "lantern.py", "help", question)
        assert done.stdout == expected, done
    assert not (root / "manual" / ".pinakes").exists()
    assert command(installed, root, str(installed.python), "lantern.py").returncode == 2


TALK = """1
00:00:01,000 --> 00:00:04,000
<i>Keeper:</i> The lantern is lit at dusk.

2
00:01:10,500 --> 00:01:12,000
We utilize whale oil.
"""


@pytest.fixture(scope="module")
def plugged(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment of its own, because others must not see the plug-in."""
    fresh = install_quickly(wheel, tmp_path_factory.mktemp("plugged") / "environment")
    package = copied("plugin", tmp_path_factory.mktemp("plugin"))
    run(needed("uv"), "pip", "install", "--quiet", "--no-deps", "--python", fresh.python, package)
    return fresh


def test_a_plug_in_adds_a_format_and_a_check(plugged: Environment, tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "library",
        {"README.md": "# Talks\n\n[the keeper](keeper.srt)\n", "keeper.srt": TALK, "bad.vtt": "WEBVTT\n"},
    )
    readme = (EXAMPLES / "plugin" / "README.md").read_text(encoding="utf-8")
    assert command(plugged, root, "pinakes", "plugins").stdout in readme
    found = json.loads(command(plugged, root, "pinakes", "search", "which oil do they burn", "--json").stdout)
    assert (found["hits"][0]["path"], "whale oil" in found["hits"][0]["text"]) == ("keeper.srt", True)
    read = command(plugged, root, "pinakes", "read", "keeper.srt#t=0")
    assert "Keeper: The lantern is lit at dusk." in read.stdout, read
    checked = command(plugged, root, "pinakes", "check", "--only", "plugin")
    assert "the house does not write “utilize” (did you mean use?)" in checked.stdout
    assert "there are no subtitles in it" in command(plugged, root, "pinakes", "status").stdout
