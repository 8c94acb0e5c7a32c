"""Reading a published folder from a program: by its path and over HTTP, a few chunks at a time."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from kits.node import NODE, run_script
from kits.page import LIBRARY
from kits.publish import publish
from kits.trees import write_tree
from pinakes.client import PublishedSite, open_published
from pinakes.errors import NotFound, Refused, Unreachable
from pinakes.publish import PublishOptions

LONG = "text " * 300
PAGES = {
    "README.md": "# Home\n\nSee [a](guide/a.md).\n",
    "guide/a.md": f"# A\n\n{LONG}\n\n## Overview\n\n{LONG}\n\n## API Reference\n\n{LONG}\n",
    "guide/b c#?%.md": "# B\n\nShort.\n",
    "guide/deep/c.svg": '<svg xmlns="http://www.w3.org/2000/svg"><text>Lens</text></svg>',
}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        self.server.asked.append(self.path)  # type: ignore[attr-defined]


@contextmanager
def at(handler: object) -> Iterator[tuple[str, list[str]]]:
    """A server on loopback: its address, and what it was asked for."""
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:  # type: ignore[arg-type]
        asked: list[str] = []
        server.asked = asked  # type: ignore[attr-defined]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}", asked
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def out(tmp_path: Path) -> Path:
    publish(write_tree(tmp_path / "docs", PAGES), tmp_path / "out")
    return tmp_path / "out"


def test_a_folder_tells_its_topics_documents_and_orders(out: Path) -> None:
    folder = open_published(out)
    assert folder.title == "Home"
    assert folder.topics == ("", "guide", "guide/deep")
    assert {one.name for one in folder.documents()} == set(PAGES)
    held = folder.document("guide/a.md")
    assert held.order[0] == 1
    assert [chunk.title for chunk in held.chunks(first=1)] == ["Overview"]
    assert "".join(one.text for one in sorted(held.chunks(), key=lambda one: one.index)) == PAGES["guide/a.md"]
    assert folder.document("guide/b c#?%.md").text() == PAGES["guide/b c#?%.md"]
    assert folder.document("guide/deep/c.svg").order == ()


def test_over_http_only_what_is_asked_for_is_fetched(out: Path) -> None:
    with at(partial(Quiet, directory=str(out))) as (address, asked):
        chunks = open_published(f"{address}/").document("guide/a.md").chunks()
        assert next(chunks).title == "Overview"
        assert asked == ["/index.json", "/guide/_chunks/a.json", "/guide/_chunks/a-1.md"]
        assert next(chunks).text
        assert len(asked) == 4
        assert open_published(f"{address}/index.json").document("guide/b c#?%.md").text() == PAGES["guide/b c#?%.md"]


@pytest.mark.parametrize("base", ["https://example.org/docs/", "/docs/"])
def test_a_folder_with_a_base_url_is_read_wherever_it_lies(tmp_path: Path, base: str) -> None:
    publish(write_tree(tmp_path / "docs", PAGES), tmp_path / "out", PublishOptions(base_url=base))
    folder = open_published(tmp_path / "out")
    assert [chunk.title for chunk in folder.document("guide/a.md").chunks(first=1)] == ["Overview"]


@pytest.mark.parametrize(
    "href",
    [
        "../../secret",
        "%2e%2e/%2e%2e/secret",
        "http://127.0.0.1:1/x",
        "file:///etc/passwd",
        "/etc/passwd",
        "a/../../../secret",
        "a\\b",
    ],
)
def test_links_out_of_the_folder_are_refused(out: Path, href: str) -> None:
    index = json.loads((out / "_chunks/README.json").read_bytes())
    index["items"][0]["href"] = href
    (out / "_chunks/README.json").write_text(json.dumps(index))
    with pytest.raises(Refused):
        list(open_published(out).document("README.md").chunks())


def test_a_link_in_the_file_system_is_not_followed_out_of_the_folder(out: Path, tmp_path: Path) -> None:
    (tmp_path / "secret").write_text("secret")
    (out / "_chunks" / "README-0.md").unlink()
    (out / "_chunks" / "README-0.md").symlink_to(tmp_path / "secret")
    with pytest.raises(Refused):
        list(open_published(out).document("README.md").chunks())


@pytest.mark.parametrize(
    "held", [b"", b"[]", b"{}", b"null", b"\xff", b'{"generator":"pinakes","_embedded":{}}', b"[" * 9999]
)
def test_what_is_no_index_is_told(tmp_path: Path, held: bytes) -> None:
    (tmp_path / "index.json").write_bytes(held)
    with pytest.raises(NotFound):
        open_published(tmp_path)


def test_what_is_not_there_is_told(out: Path, tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="cannot be read"):
        open_published(tmp_path / "none")
    with pytest.raises(NotFound, match="no document"):
        open_published(out).document("guide/none.md")
    with pytest.raises(NotFound, match="no topic"):
        open_published(out).topic("none")
    with pytest.raises(Unreachable):
        open_published("http://127.0.0.1:1/")
    with at(partial(Quiet, directory=str(tmp_path / "docs"))) as (address, _), pytest.raises(NotFound, match="404"):
        open_published(address)


def test_a_redirect_to_another_server_is_refused(out: Path) -> None:
    class Elsewhere(BaseHTTPRequestHandler):
        target = ""

        def do_GET(self) -> None:
            self.send_response(302)
            self.send_header("Location", f"{self.target}{self.path}")
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            return

    with at(partial(Quiet, directory=str(out))) as (inner, asked), at(Elsewhere) as (outer, _):
        Elsewhere.target = inner
        with pytest.raises(Refused, match="another server"):
            open_published(outer)
        assert asked == []


def test_the_client_needs_nothing_but_the_standard_library(out: Path) -> None:
    program = (
        "import sys\nfrom pinakes.client import open_published\n"
        f"print([one.title for one in open_published({str(out)!r}).document('guide/a.md').chunks(first=1)])\n"
        "print(sorted(name for name in sys.modules if name in ('numpy', 'click', 'tantivy', 'yaml', 'starlette')))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == ["['Overview']", "[]"]


def test_any_fetch_will_do(out: Path) -> None:
    folder = PublishedSite(lambda place: (out / place).read_bytes())
    assert folder.title == "Home"


CODE = "rotate()\n" * 300
SEARCHED = {
    **LIBRARY,
    "auth/tokens.md": f"# Tokens\n\nA token is rotated daily.\n\n{LONG}\n\n## Code\n\n```py\n{CODE}```\n",
    "auth/qa-pairs.md": "# Questions\n\n## How is a token rotated?\n\nDaily.\n",
}


@pytest.fixture
def searched(tmp_path: Path) -> Path:
    publish(write_tree(tmp_path / "docs", SEARCHED), tmp_path / "out", prompts=Path())
    return tmp_path / "out"


@pytest.mark.skipif(not NODE, reason="there is no node here")
def test_a_program_finds_what_the_page_finds(searched: Path, tmp_path: Path) -> None:
    site = open_published(searched)
    questions = ["trim the wick ", "singals ", "token rotate ", "fog bell ", "zzyzzxq ", "the "]
    answers = run_script(searched / "search", tmp_path, questions)["answers"]
    for question, answer in zip(questions, answers, strict=True):
        found = [(hit.source, hit.index) for hit in site.search(question)]
        assert found == [(hit["name"], hit["index"]) for hit in answer["hits"]], question
    assert "wick" in site.search("wick")[0].chunk().text


def test_chunks_are_chosen_by_keyword_code_folder_and_order(searched: Path) -> None:
    site = open_published(searched)
    assert {hit.source for hit in site.search("token", path="auth")} == {"auth/tokens.md", "auth/qa-pairs.md"}
    assert site.search("token", path="guide") == []
    assert all(hit.chunk().is_code for hit in site.search("rotate", is_code=True))
    assert not any(hit.chunk().is_code for hit in site.search("rotate", is_code=False))
    document = site.document("auth/tokens.md")
    assert {chunk.is_code for chunk in document.chunks(is_code=True)} == {True}
    keywords = json.loads((searched / "auth/_keywords/chunks.json").read_bytes())
    word = keywords["keywords"][keywords["chunks"]["tokens"][0][0]]["name"]
    assert 0 in [chunk.index for chunk in document.chunks(keyword=word.upper())]
    assert list(document.chunks(keyword="no such keyword")) == []
    assert site.search("token", keyword="no such keyword") == []


def test_the_technical_order_begins_with_the_reference(out: Path) -> None:
    document = open_published(out).document("guide/a.md")
    assert [chunk.title for chunk in document.chunks(1, technical=True)] == ["API Reference"]
    assert sorted(document.technical_order) == sorted(document.order)


@pytest.mark.skipif(not NODE, reason="there is no node here")
def test_a_question_that_was_foreseen_is_known_from_hashes_alone(searched: Path) -> None:
    site = open_published(searched)
    asked = ["how is a token rotated", "How is a token rotated, please?", "what burns at night"]
    found = [[(hit.source, hit.index) for hit in site.foreseen(one)] for one in asked]
    assert found[0] and found[2] == []
    script = """
    const fs = require("fs"), vm = require("vm"), [home, asked] = process.argv.slice(1);
    const context = vm.createContext({atob, TextEncoder});
    for (const name of ["search", "index", "prompts"]) {
      vm.runInContext(fs.readFileSync(`${home}/${name}.js`, "utf8"), context);
    }
    const known = vm.runInContext("Pinakes.foreseen", context);
    const found = JSON.parse(asked).map((one) => known(one).map(({name, index}) => [name, index]));
    process.stdout.write(JSON.stringify(found));
    """
    done = subprocess.run(
        [NODE, "-e", script, str(searched / "search"), json.dumps(asked)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert [[tuple(hit) for hit in one] for one in json.loads(done.stdout)] == found
    assert open_published(searched).foreseen("") == []


@pytest.mark.skipif(not NODE, reason="there is no node here")
def test_the_script_in_the_documentation_reads_the_same_chunks(out: Path) -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "publish.md").read_text(encoding="utf-8")
    script = page.partition("```js\n")[2].partition("```")[0]
    with at(partial(Quiet, directory=str(out))) as (address, asked):
        for name in ("guide/a.md", "README.md"):
            program = script.replace("https://example.org/docs/", f"{address}/").replace("guide/reading.md", name)
            program = program.replace("chunk.title, chunk.text", "JSON.stringify([chunk.title, chunk.text])")
            command = [NODE, "--input-type=module", "-e", program]
            done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
            held = open_published(out).document(name).chunks(first=3)
            assert [json.loads(line) for line in done.stdout.splitlines()] == [[one.title, one.text] for one in held]
        assert len([one for one in asked if "_chunks" in one]) == 6


def read(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "pinakes", "read", *arguments]
    return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=60)


def test_the_command_reads_a_document_or_its_best_chunks_from_an_address(out: Path, tmp_path: Path) -> None:
    with at(partial(Quiet, directory=str(out))) as (address, asked):
        assert read(tmp_path, f"{address}/#guide/a.md", "--plain").stdout == PAGES["guide/a.md"]
        asked.clear()
        best = read(tmp_path, f"{address}/index.json#guide/a.md", "--first", "1")
        assert best.stdout.startswith("guide/a.md:")
        assert "(Overview)" in best.stdout
        assert asked == ["/index.json", "/guide/_chunks/a.json", "/guide/_chunks/a-1.md"]
        told = json.loads(read(tmp_path, f"{address}/#guide/a.md", "--first", "2", "--json").stdout)
        assert (told["order"][:1], [one["title"] for one in told["chunks"]][:1]) == ([1], ["Overview"])
        assert "[A](guide/a.md)" in read(tmp_path, address).stdout
        missing = read(tmp_path, f"{address}/#guide/none.md")
        assert (missing.returncode, "no document" in missing.stderr) == (1, True)
    assert not (tmp_path / ".pinakes").exists()


@pytest.mark.parametrize(
    "host", ["169.254.169.254", "10.0.0.1", "127.0.0.2", "0.0.0.0", "[::ffff:127.0.0.1]", "2130706433"]
)
def test_the_command_asks_no_private_address(tmp_path: Path, host: str) -> None:
    done = read(tmp_path, f"http://{host}/docs/#a.md")
    assert done.returncode == 2
    assert "is no public address" in done.stderr or "2130706433" in done.stderr


def test_the_command_follows_no_redirect_on_this_machine(out: Path, tmp_path: Path) -> None:
    with at(partial(Quiet, directory=str(out))) as (inner, asked):

        class Elsewhere(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(302)
                self.send_header("Location", f"{inner}{self.path}")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                return

        with at(Elsewhere) as (outer, _):
            done = read(tmp_path, f"{outer}/#guide/a.md")
        assert (done.returncode, asked) == (2, [])
