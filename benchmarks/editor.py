"""How soon does an editor get its answers? `pinakes lsp` on real documents, as a process, asked over its pipes.

A folder of documents enters; it is copied to a scratch folder, filled up to `--files`, and indexed. Then editors come:
each starts the server, opens a document and asks at once. What counts is the time from the request to the answer, not
that of the start, which is shown beside it. One editor stays, types, and asks for everything else.

    python -m benchmarks.editor FOLDER [--files 4000] [--editors 5] [--keys 40]
"""

from __future__ import annotations

import argparse
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from benchmarks.clock import say
from pinakes.library import open_library
from pinakes.records import DOCS

FIRST_COMPLETION_S, FIRST_FINDINGS_S = 0.3, 0.5


class _Editor:
    """A running server and what is said to it."""

    def __init__(self, process: subprocess.Popen[bytes], root: Path) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._in, self._out = process.stdin, process.stdout
        self._asked = 0
        self.pid = process.pid
        started = time.perf_counter()
        self.ask("initialize", {"processId": None, "rootUri": root.as_uri(), "capabilities": {}})
        self.notify("initialized", {})
        self.start_s = time.perf_counter() - started

    def notify(self, method: str, params: object, **more: object) -> None:
        body = json.dumps({"jsonrpc": "2.0", "method": method, "params": params, **more}).encode()
        self._in.write(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        self._in.flush()

    def hear(self) -> dict[str, Any]:
        length = 0
        while (line := self._out.readline()).strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        heard: dict[str, Any] = json.loads(self._out.read(length))
        return heard

    def ask(self, method: str, params: object) -> Any:
        self._asked += 1
        self.notify(method, params, id=self._asked)
        while (heard := self.hear()).get("id") != self._asked:
            pass
        return heard["result"]

    def timed(self, method: str, params: object) -> float:
        began = time.perf_counter()
        self.ask(method, params)
        return time.perf_counter() - began

    def open(self, file: Path, text: str) -> str:
        uri = file.as_uri()
        item = {"uri": uri, "languageId": "markdown", "version": 1, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})
        return uri

    def findings_s(self, uri: str, version: int, began: float) -> float:
        """Until the findings of a version came; those of an index that is still being looked at count, too."""
        while True:
            heard = self.hear()
            params = heard.get("params", {})
            is_ours = heard.get("method") == "textDocument/publishDiagnostics" and params["uri"] == uri
            if is_ours and params["version"] == version:
                return time.perf_counter() - began


@contextmanager
def _editor(root: Path) -> Iterator[_Editor]:
    process = subprocess.Popen(
        [sys.executable, "-m", "pinakes", "lsp"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    )
    try:
        yield _Editor(process, root)
    finally:
        process.kill()
        process.communicate()


def main() -> int:
    """Measure and print; exit 1 when a promise is not kept."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    options.add_argument("folder", type=Path)
    options.add_argument("--files", type=int, default=4000)
    options.add_argument("--editors", type=int, default=5)
    options.add_argument("--keys", type=int, default=40)
    given = options.parse_args()
    with tempfile.TemporaryDirectory(prefix="pinakes-editor-") as scratch:
        root = Path(scratch) / "docs"
        say(f"{given.files:,} files of {given.folder}")
        _fill(given.folder, root, given.files)
        with open_library(root) as library:
            library.refresh(patience_s=0.0)  # an editor needs no keywords and no vectors
            outlines = library.outlines()
            busiest = max(outlines, key=lambda one: len(one.references)).ref.path
            cited = max(outlines, key=lambda one: one.cited + sum(one.cited_sections))
            links = sum(1 for _ in library.corpus(DOCS).index.edges(DOCS))
        say(f"{given.editors} editors")
        completions, findings, starts = [], [], []
        for _ in range(given.editors):
            with _editor(root) as editor:
                completions.append(_first_completion(editor, root / busiest))
                starts.append(editor.start_s)
            with _editor(root) as editor:
                findings.append(_first_findings(editor, root / busiest))
        say(f"{given.keys} keys")
        with _editor(root) as editor:
            rows = _typing(editor, root, busiest, cited.ref.path, given.keys)
            memory = _memory_mb(editor.pid)
    print(f"{len(outlines):,} documents, {links:,} links; the one with most links, {busiest}, is open\n")
    print("| | median | worst | promised |\n|---|---|---|---|")
    print(_row(f"first completion (of {given.editors} editors)", completions, FIRST_COMPLETION_S))
    print(_row(f"first findings (of {given.editors} editors)", findings, FIRST_FINDINGS_S))
    for name, seconds in rows.items():
        print(_row(name, seconds))
    print(_row("start of the process until the greeting is answered", starts))
    print(f"\nmemory of the server: {memory:,.0f} MB")
    is_kept = max(completions) <= FIRST_COMPLETION_S and max(findings) <= FIRST_FINDINGS_S
    return 0 if is_kept else 1


def _fill(source: Path, root: Path, count: int) -> None:
    """Copy so many files, and the first ones again below another folder where there are fewer."""
    files = sorted(file for file in source.rglob("*") if file.is_file())
    for number in range(count):
        again, place = divmod(number, len(files))
        target = root / (f"again-{again}" if again else "") / files[place].relative_to(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(files[place], target)
    (root / "pinakes.toml").write_text("", encoding="utf-8")


def _first_completion(editor: _Editor, file: Path) -> float:
    text = file.read_text(encoding="utf-8") + "\n\nSee [more]("
    uri = editor.open(file, text)
    return editor.timed("textDocument/completion", _at(uri, text))


def _first_findings(editor: _Editor, file: Path) -> float:
    began = time.perf_counter()
    uri = editor.open(file, file.read_text(encoding="utf-8") + "\n\n[x](no/such.md)\n")
    return editor.findings_s(uri, 1, began)


def _typing(editor: _Editor, root: Path, busiest: str, cited: str, keys: int) -> dict[str, list[float]]:
    text = (root / busiest).read_text(encoding="utf-8") + "\n\n"
    uri = editor.open(root / busiest, text)
    target = editor.open(root / cited, (root / cited).read_text(encoding="utf-8"))
    completions, findings = [], []
    for number, key in enumerate(("[see](" + "content/actions/using-the-rest-api-" * 9)[:keys]):
        at = _at(uri, text)["position"]
        text += key
        began = time.perf_counter()
        document = {"uri": uri, "version": number + 2}
        change = {"range": {"start": at, "end": at}, "text": key}
        editor.notify("textDocument/didChange", {"textDocument": document, "contentChanges": [change]})
        findings.append(editor.findings_s(uri, number + 2, began))
        completions.append(editor.timed("textDocument/completion", _at(uri, text)))
    place = {"textDocument": {"uri": target}, "position": {"line": 0, "character": 3}}
    whole = {"textDocument": {"uri": uri}}
    context = {"context": {"includeDeclaration": False}}
    return {
        f"completion after a key (of {keys})": completions,
        f"findings after a key (of {keys})": findings,
        "symbols of the document": [editor.timed("textDocument/documentSymbol", whole) for _ in range(5)],
        "its links": [editor.timed("textDocument/documentLink", whole) for _ in range(5)],
        "references of the most cited document": [
            editor.timed("textDocument/references", place | context) for _ in range(3)
        ],
        "headings of the library, first": [editor.timed("workspace/symbol", {"query": "auth"})],
        "headings of the library, again": [editor.timed("workspace/symbol", {"query": "conf"}) for _ in range(5)],
    }


def _at(uri: str, text: str) -> dict[str, Any]:
    line = text.rpartition("\n")[2]
    position = {"line": text.count("\n"), "character": len(line.encode("utf-16-le")) // 2}
    return {"textDocument": {"uri": uri}, "position": position}


def _row(name: str, seconds: Sequence[float], promised_s: float | None = None) -> str:
    promised = f"{1000 * promised_s:,.0f} ms" if promised_s else ""
    return f"| {name} | {1000 * statistics.median(seconds):,.0f} ms | {1000 * max(seconds):,.0f} ms | {promised} |"


def _memory_mb(pid: int) -> float:
    """What the process holds of its own, as Linux says; nothing elsewhere."""
    status = Path(f"/proc/{pid}/status")
    lines = status.read_text(encoding="ascii").splitlines() if status.exists() else []
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmRSS")), 0.0)


if __name__ == "__main__":
    sys.exit(main())
