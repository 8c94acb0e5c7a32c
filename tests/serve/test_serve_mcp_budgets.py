"""No answer is longer than its budget, whatever is asked: everything that is sent counts."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from benchmarks.agents import random_call
from mcp import Client, types

from kits.trees import write_tree
from kits.waiting import HANG_S
from pinakes.library import open_library
from pinakes.serve.freshness import Freshness
from pinakes.serve.libraries import Libraries
from pinakes.serve.mcp.server import McpHandlers, server_of
from pinakes.tokens import count_tokens

pytestmark = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")

CALLS = 150
WORDS = ["tokens", "expire", "harbour", "tide", "office", "3600", "C++", "港口", "naïve", "`--flag`", "“quoted”", "🐙"]


def tree() -> dict[str, str | bytes]:
    """Long lines, long names, many headings and links, a drawing, a file that cannot be read."""
    words = " ".join(f"{word}{number}" for number in range(40) for word in WORDS)
    many = "".join(
        f"## Part {number}\n\nTokens expire. [next](long.md#part-{number}) {words}\n\n" for number in range(20)
    )
    return {
        "long.md": f"# Long\n\n{many}",
        "line.md": words * 10,
        "lists/a.md": "# A\n\n" + "".join(f"- [page {number}](missing{number}.md) 港口\n" for number in range(200)),
        f"{'deep/' * 12}{'name ' * 20}.md": f"# {'Heading ' * 60}\n\nTokens expire.\n\n{words}\n",
        "small.md": "# Small\n\nThe tide office closes.\n",
        "drawing.svg": "<svg xmlns='http://www.w3.org/2000/svg'><text>tide</text></svg>",
        "bad.md": b"\xff\xfe\x00",
    }


async def total(client: Client, tool: str, given: Mapping[str, Any]) -> int:
    """Tokens of an answer that is none of an error."""
    answer = await client.call_tool(tool, dict(given))
    text = "".join(block.text for block in answer.content if isinstance(block, types.TextContent))
    if answer.is_error:
        assert "fits into a budget of" in text or "no such lines" in text, (tool, given, text)
        return 0
    copy = json.dumps(answer.structured_content, ensure_ascii=False, separators=(",", ":"))
    return count_tokens(text) + (count_tokens(copy) if answer.structured_content else 0)


@pytest.mark.parametrize("sent", ["text", "text and data"])
def test_no_answer_is_longer_than_its_budget(tmp_path: Path, sent: str) -> None:
    is_structured = sent != "text"
    root = write_tree(tmp_path / "docs", tree())
    with open_library(root) as library:
        library.sync()
        for number in range(12):
            library.memories.remember(f"Tokens expire. {' '.join(WORDS * number)}", f"Note {number}")
            library.added.add_text(f"# Page {number}\n\n{' '.join(WORDS)}".encode())
        paths = [outline.ref.path for outline in library.outlines()]

    async def work() -> None:
        libraries = Libraries([root])
        handlers = McpHandlers(Freshness(libraries), "full", is_structured=is_structured)
        answered = 0
        async with Client(server_of(handlers), mode="legacy") as client:
            for seed in range(CALLS):
                tool, given = random_call(random.Random(seed), WORDS, paths)
                tokens = await total(client, tool, given)
                assert tokens <= given["budget"], (seed, tool, given)
                answered += tokens > 0
        libraries.close()
        assert answered > CALLS * (0.4 if is_structured else 0.7)

    async def patiently() -> None:
        with anyio.fail_after(HANG_S):
            await work()

    anyio.run(patiently)
