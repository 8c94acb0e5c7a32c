"""What is asked while an index is damaged or being refreshed: nothing is written twice, and nobody waits for others."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path

import pytest

from kits.http import PAGES, serving
from kits.trees import write_tree
from kits.waiting import HANG_S, until

pytest.importorskip("mcp")

from mcp import Client, types

from pinakes.errors import StoreDamaged
from pinakes.serve.freshness import Freshness
from pinakes.serve.libraries import Libraries
from pinakes.serve.mcp.server import McpHandlers, server_of

pytestmark = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", {**PAGES, "pinakes.toml": ""})


def damage(root: Path) -> None:
    database = root / ".pinakes" / "library.db"
    database.write_bytes(b"\xa5" * database.stat().st_size)


def test_a_note_is_written_once_though_damage_was_noted(root: Path) -> None:
    libraries = Libraries([root])
    libraries.refresh()
    libraries.get().close()
    damage(root)
    with pytest.raises(StoreDamaged):
        libraries.get().search("tides")

    async def remember() -> None:
        async with Client(server_of(McpHandlers(Freshness(libraries), "full")), mode="legacy") as client:
            written = await client.call_tool("remember", {"text": "High water on Monday.", "title": "Plan"})
            assert not written.is_error, written
            found = await client.call_tool("search", {"query": "tides"})
            assert isinstance(found.content[0], types.TextContent)
            assert "<document" in found.content[0].text, "the index was mended"

    asyncio.run(remember())
    libraries.close()
    assert [one.name for one in (root / ".memories").glob("*.md")] == ["plan.md"]


def test_the_page_mends_an_index_that_it_finds_damaged(root: Path) -> None:
    with serving(root) as server:
        until(lambda: server.get("/status").json.get("is_watched"), "watched")
        damage(root)
        page = server.get("/in/docs/search", query="tides")
        assert page.status == 200, page.body
        assert b"High water" in page.body


def test_the_page_answers_by_changed_settings_at_once(root: Path) -> None:
    with serving(root) as server:
        until(lambda: server.get("/status").json.get("is_watched"), "watched")
        assert len(server.get("/in/docs/search.json", query="harbour tides").json["hits"]) > 1
        write_tree(root, {"pinakes.toml": "[search]\nlimit = 1\n"})
        assert len(server.get("/in/docs/search.json", query="harbour tides").json["hits"]) == 1


def test_others_answer_while_a_library_with_changed_settings_is_refreshed(root: Path, tmp_path: Path) -> None:
    other = write_tree(tmp_path / "other", PAGES)
    libraries = Libraries([root, other])
    for name in libraries.names:
        libraries.refresh(name)
    began, may_end = threading.Event(), threading.Event()

    def held(library: str, event: object) -> None:
        began.set()
        assert may_end.wait(HANG_S)

    async def ask() -> str:
        freshness = Freshness(libraries, on_progress=held)
        try:
            freshness.start("docs")
            while not began.is_set():
                await asyncio.sleep(0)
            write_tree(root, {"pinakes.toml": "# changed\n"})
            waiting = [asyncio.create_task(freshness.refresh("docs")) for _ in range(8)]
            await asyncio.sleep(0)
            async with asyncio.timeout(HANG_S / 2):
                found = await freshness.answer("other", lambda: libraries.get("other").read("guide/tides.md"))
            may_end.set()
            await asyncio.gather(*waiting)
            return found.text
        finally:
            may_end.set()
            freshness.close()

    assert "High water" in asyncio.run(ask())
    libraries.close()
