"""What a workspace tells at its start: everything, to whoever listens before it begins."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

from kits.http import events
from kits.trees import write_tree
from kits.waiting import HANG_S
from pinakes.context.modes import ContextMode
from pinakes.serve.freshness import Freshness
from pinakes.serve.libraries import Libraries
from pinakes.serve.work.desk import WorkDesk, open_workspace


async def next_frame(stream: AsyncIterator[str | bytes | memoryview]) -> bytes:
    frame = await anext(stream)
    assert isinstance(frame, bytes)
    return frame


def told_at_the_start(root: Path) -> list[tuple[str, Any]]:
    """Every event from before the first index is made until that of documents is, or cannot be."""

    async def start() -> bytes:
        libraries = Libraries((root,))
        desk = WorkDesk(open_workspace(libraries), Freshness(libraries))
        stream = aiter(desk.news.listen(lambda: {}).body_iterator)
        heard = await next_frame(stream)
        await desk.start()
        async with asyncio.timeout(HANG_S):
            while b"event: doc_index" not in heard:
                heard += await next_frame(stream)
        desk.close()
        libraries.close()
        return heard

    return events(asyncio.run(start()))


def told_at_a_switch(root: Path, files: dict[str, str | bytes]) -> list[tuple[str, Any]]:
    """Every event of a switch to documents after these files came, and where the state stood then."""

    async def switch() -> bytes:
        libraries = Libraries((root,))
        desk = WorkDesk(open_workspace(libraries), Freshness(libraries))
        await desk.start()
        stream = aiter(desk.news.listen(lambda: {}).body_iterator)
        heard = await next_frame(stream)
        write_tree(root, files)
        await desk.run(lambda: desk.workspace.switch(ContextMode.DOCS))
        assert desk.state()["progress"] is None
        desk.notice("info", "That is all.")
        async with asyncio.timeout(HANG_S):
            while b"event: notice" not in heard:
                heard += await next_frame(stream)
        desk.close()
        libraries.close()
        return heard

    return [(name, data) for name, data in events(asyncio.run(switch())) if name == "progress"]


def test_a_switch_that_has_files_to_read_tells_how_far_it_is(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"a.md": "# Alpha\n\nText of alpha.\n"})
    told = [data for _, data in told_at_a_switch(root, {f"{number}.md": f"# {number}\n" for number in range(20)})]
    assert any(re.fullmatch(r"Extracting outlines… \((2\d)/\1 files\)", one["label"]) for one in told)
    shares = [one["percent"] for one in told]
    assert shares == sorted(shares) and shares[-1] == 100 and shares.count(100) == 1


def test_a_switch_with_nothing_to_read_tells_of_no_progress(tmp_path: Path) -> None:
    write_tree(tmp_path, {"a.md": "# Alpha\n\nText of alpha.\n"})
    os.utime(tmp_path / "a.md", (1e9, 1e9))  # what was just written is read again
    assert told_at_a_switch(tmp_path, {}) == []


def test_a_page_is_told_when_the_document_index_is_ready(tmp_path: Path) -> None:
    told = told_at_the_start(write_tree(tmp_path, {"a.md": "# Alpha\n\nText of alpha.\n"}))
    names = [name for name, _ in told]
    assert names[:2] == ["hello", "ready"] and names[-1] == "doc_index_ready"
    assert told[-2] == ("progress", {"label": "Caching results…", "percent": 100})


def test_a_page_is_told_when_the_document_index_fails_and_why(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"a.md": "# Alpha\n", ".pinakes": "no folder"})
    name, data = told_at_the_start(root)[-1]
    assert name == "doc_index_failed"
    assert "for the index could not be made" in data["message"] and "--store" in data["message"]
