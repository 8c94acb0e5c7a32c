"""Programs may have each answer as data, too, where the version of the protocol knows that."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from mcp import Client, StdioServerParameters, stdio_client

from kits.mcp import DOCUMENTS, HELLO, command, talking
from kits.trees import write_tree
from kits.waiting import HANG_S

pytestmark = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", DOCUMENTS)


@pytest.mark.parametrize("era", ["legacy", "auto"])
def test_whoever_starts_it_for_a_program_gets_data_that_fits_the_output_schema(root: Path, era: str) -> None:
    async def work() -> None:
        server = StdioServerParameters(command=command()[0], args=[*command()[1:], str(root), "--structured"])
        async with Client(stdio_client(server), mode=era) as client:
            assert all(tool.output_schema for tool in (await client.list_tools()).tools)
            # The client checks every answer against the tool's output schema.
            asked = {"query": "when do tokens expire?", "limit": 1, "explain": True, "budget": 4000}
            found = await client.call_tool("search", asked)
            assert found.structured_content["hits"][0]["ref"] == "docs:guide/auth.md#tokens"
            assert found.structured_content["hits"][0]["votes"]
            for tool, given in (("map", {}), ("read", {"address": "index.md"}), ("links", {"address": "index.md"})):
                answer = await client.call_tool(tool, given)
                assert answer.structured_content["notice"]
                if tool == "map":
                    assert set(answer.structured_content["components"].values()) == {0}

    async def patiently() -> None:
        with anyio.fail_after(HANG_S):
            await work()

    anyio.run(patiently)


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26"])
def test_a_version_that_knows_no_structured_content_gets_none(root: Path, version: str) -> None:
    with talking(root, "--structured") as talk:
        talk.ask("initialize", {**HELLO, "protocolVersion": version}, asked="hello")
        talk.send("notifications/initialized")
        assert "outputSchema" not in talk.ask("tools/list")["result"]["tools"][0]
        assert "structuredContent" not in talk.call("status")["result"]
