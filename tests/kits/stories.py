"""Plays a story: a transcript of a terminal, of requests over HTTP and of messages over MCP, compared as text.

A file enters; the first step that went otherwise fails with what came instead. tests/stories/README.md has the steps.
"""

from __future__ import annotations

import itertools
import json
import os
import queue
import re
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from kits.git import Repo
from kits.providers import ProviderServer, ScriptedAnswer, providing
from kits.waiting import HANG_S

PLACEHOLDERS = {
    "…": r".*",
    "number": r"-?\d[\d,]*(\.\d+)?(e-?\d+)?",
    "hash": r"[0-9a-f]{7,64}",
    "time": r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?",
    "date": r"\d{4}-\d\d-\d\d",
    "clock": r"\d\d:\d\d:\d\d",
    "took": r"\d[\d,]*(\.\d+)? ?m?s",
    "version": r"\d+\.\d+\.\d+\S*",
    "port": r"\d+",
    "id": r"[0-9a-f]{12}",
}
"""What may stand in an expected line for a part that differs from run to run. `<folder>` is where the story happens;
`<id>` stands for the same from its first place on, in later steps too."""


@dataclass
class Step:
    """A line that begins with ``===``, and the lines below it."""

    word: str
    rest: str
    lines: list[str] = field(default_factory=list)


def steps(text: str) -> list[Step]:
    """The steps of a story; what stands before the first is its title."""
    found: list[Step] = []
    for line in text.split("\n"):
        if line.startswith("=== "):
            word, _, rest = line[4:].partition(" ")
            found.append(Step(word, rest))
        elif found:
            found[-1].lines.append(line)
    return found


def matched(expected: list[str], printed: str, known: Mapping[str, str]) -> dict[str, str] | None:
    """What the placeholders stand for where this was printed, and None where something else was."""
    pattern, seen = "", set()
    for part in re.split(r"(<[a-z…]+>)", "\n".join(expected).strip("\n")):
        name = part[1:-1] if part.startswith("<") else ""
        if name in known:
            pattern += re.escape(known[name])
        elif name == "id":
            pattern += "(?P=id)" if name in seen else f"(?P<id>{PLACEHOLDERS[name]})"
            seen.add(name)
        else:
            pattern += PLACEHOLDERS.get(name) or re.escape(part)
    found = re.fullmatch(pattern, printed.strip("\n"))
    return None if found is None else {**known, **found.groupdict()}


def _names_exit(following: list[Step]) -> bool:
    """Whether one of the steps that belong to a run says how it ends."""
    own = itertools.takewhile(lambda step: step.word in ("exit", "error"), following)
    return any(step.word == "exit" for step in own)


class Player:
    """Goes through the steps of one story, in a folder of its own."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True)
        self._folder = folder
        self._repo: Repo | None = None
        self._done: subprocess.CompletedProcess[str] | None = None
        self._running: _Running | None = None
        self._asked = 0
        self._known = {"folder": str(folder)}
        self._ends = ExitStack()
        self._provider: ProviderServer | None = None

    def play(self, story: str) -> None:
        """Every step in turn; whatever was started is ended."""
        words: dict[str, Callable[[Step], None]] = {
            "file": self._file,
            "delete": lambda step: (self._folder / step.rest).unlink(),
            "commit": self._commit,
            "run": self._run,
            "exit": self._exit,
            "error": self._error,
            "start": self._start,
            "hear": self._hear,
            "request": self._request,
            "send": self._send,
            "stop": self._stop,
            "model": self._model,
        }
        found = steps(story)
        try:
            for at, step in enumerate(found):
                assert step.word in words, f"no such step: {step.word}"
                step.rest = step.rest.replace("<id>", self._known.get("id", "<id>"))
                words[step.word](step)
                if step.word == "run" and not _names_exit(found[at + 1 :]):
                    self._exit(Step("exit", "0"))
        finally:
            self._ends.close()
            if self._running is not None:
                self._running.kill()

    def _compare(self, expected: list[str], printed: str, what: str) -> None:
        found = matched(expected, printed, self._known)
        assert found is not None, "\n".join([what, "--- expected", *expected, "--- came", printed])
        self._known = found

    def _file(self, step: Step) -> None:
        target = self._folder / step.rest
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("\n".join(step.lines).rstrip("\n") + "\n", encoding="utf-8")

    def _model(self, step: Step) -> None:
        if self._provider is None:
            self._provider = self._ends.enter_context(providing(()))
        self._provider.answers.append(ScriptedAnswer("\n".join(step.lines).strip("\n") + "\n"))

    def _commit(self, step: Step) -> None:
        self._repo = self._repo or Repo(self._folder)
        self._repo.commit(step.rest)

    def _environment(self) -> dict[str, str]:
        home = {"HOME": str(self._folder.parent / "home"), "XDG_CONFIG_HOME": str(self._folder / ".config")}
        model = {}
        if self._provider is not None:
            model = {"PINAKES_WORK_MODEL": "a-model", "PINAKES_WORK_ENDPOINT": self._provider.anthropic}
        return {**os.environ, "NO_COLOR": "1", **home, **model}

    def _run(self, step: Step) -> None:
        command = [sys.executable, "-m", "pinakes", *shlex.split(step.rest)]
        self._done = subprocess.run(
            command, cwd=self._folder, env=self._environment(), capture_output=True, text=True, timeout=HANG_S
        )
        self._compare(step.lines, self._done.stdout, f"pinakes {step.rest}\n--- on stderr\n{self._done.stderr}")

    def _exit(self, step: Step) -> None:
        assert self._done is not None
        assert self._done.returncode == int(step.rest), (self._done.args, self._done.stderr)

    def _error(self, step: Step) -> None:
        assert self._done is not None
        self._compare(step.lines, self._done.stderr, "on stderr")

    def _start(self, step: Step) -> None:
        assert self._running is None, "one program is running already"
        command = [sys.executable, "-m", "pinakes", *shlex.split(step.rest)]
        is_mcp = step.rest.split()[0] == "mcp"
        self._running = _Running(command, self._folder, self._environment(), does_talk=is_mcp)

    def _hear(self, step: Step) -> None:
        expected = "\n".join(step.lines).strip("\n").split("\n")
        assert self._running is not None
        self._compare(expected, "".join(self._running.line() for _ in expected), "the program says")

    def _request(self, step: Step) -> None:
        assert self._running is not None
        method, path, body = (*step.rest.split(" ", 2), "")[:3]
        connection = HTTPConnection("127.0.0.1", self._running.port, timeout=HANG_S)
        try:
            connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
            answer = connection.getresponse()
            media = answer.headers.get_content_type()
            text = answer.read().decode()
        finally:
            connection.close()
        shown = _pretty(json.loads(text)) if media.endswith("json") else text
        self._compare(step.lines, f"{answer.status} {media}\n{shown}", step.rest)

    def _send(self, step: Step) -> None:
        assert self._running is not None
        method, _, params = step.rest.partition(" ")
        self._asked += 1
        message: dict[str, Any] = {"jsonrpc": "2.0", "method": method}
        if not method.startswith("notifications/"):
            message["id"] = self._asked
        if params:
            message["params"] = json.loads(params)
        self._running.say(json.dumps(message))
        if "id" in message:
            while (heard := json.loads(self._running.line())).get("id") != self._asked:
                pass  # what it tells by the way
            self._compare(step.lines, _pretty(heard.get("result", heard.get("error"))), step.rest)

    def _stop(self, step: Step) -> None:
        assert self._running is not None
        code, rest = self._running.end()
        self._running = None
        self._compare(step.lines, rest, "the program's last words")
        assert code == int(step.rest or 0), rest


class _Running:
    """A program that goes on while the story does."""

    def __init__(self, command: list[str], folder: Path, environment: dict[str, str], *, does_talk: bool) -> None:
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if does_talk else subprocess.STDOUT,
            text=True,
        )
        self._does_talk = does_talk
        self._said: queue.Queue[str] = queue.Queue()
        self._reading = threading.Thread(target=self._read)
        self._reading.start()
        self.port = 0

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as said:
            for line in said:
                self._said.put(line)

    def line(self) -> str:
        """The next line it prints."""
        said = self._said.get(timeout=HANG_S)
        if found := re.search(r"http://127\.0\.0\.1:(\d+)/", said):
            self.port = int(found[1])
        return said

    def say(self, line: str) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()

    def end(self) -> tuple[int, str]:
        """End it as a user does; the exit code and what it still said."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        if not self._does_talk:
            self._process.send_signal(signal.SIGINT)
        code = self._process.wait(HANG_S)
        self._reading.join()
        rest = []
        while not self._said.empty():
            rest.append(self._said.get())
        return code, "".join(rest)

    def kill(self) -> None:
        assert self._process.stdin is not None
        with suppress(BrokenPipeError):
            self._process.stdin.close()
        self._process.kill()
        self._process.wait()
        self._reading.join()


def _pretty(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)
