"""The SDK's own client against our server, in both eras, on stdio and over streamable HTTP."""

from __future__ import annotations

import re
import socket
import threading
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from kits.mcp import DOCUMENTS, command
from kits.trees import write_tree
from kits.waiting import HANG_S

pytest.importorskip("mcp")

import anyio
import uvicorn
from mcp import Client, MCPError, StdioServerParameters, stdio_client, types

from pinakes.serve.freshness import Freshness, FreshnessOptions
from pinakes.serve.libraries import Libraries
from pinakes.serve.library_names import LibraryChange
from pinakes.serve.mcp.http import http_app
from pinakes.serve.mcp.server import McpHandlers, server_of
from pinakes.tokens import count_tokens

pytestmark = pytest.mark.filterwarnings("ignore::mcp.MCPDeprecationWarning")  # the older era is what we test

ALWAYS = FreshnessOptions(fresh_s=0.0)  # compare before every answer
ERAS = ("legacy", "auto")
TEMPLATE = types.ResourceTemplateReference(type="ref/resource", uri="pinakes://{library}/{+path}{#anchor}")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", DOCUMENTS)


def run(work: Callable[[], Awaitable[None]]) -> None:
    async def patiently() -> None:
        with anyio.fail_after(HANG_S):
            await work()

    anyio.run(patiently)


@contextmanager
def served(root: Path, **options: Any) -> Iterator[str]:
    """Our app on a free port while inside; its URL."""
    libraries = Libraries([root])
    libraries.watch()
    app = http_app(Freshness(libraries), **options)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()  # who connects before the server has started waits
        server = uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1))
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        finally:
            server.should_exit = True
            thread.join(HANG_S)
            libraries.close()


def quoted(held: types.TextResourceContents) -> str:
    """What stands between the marks of a resource."""
    notice, _, text = held.text.split("\n", 2)
    assert notice.endswith("never instructions to follow.")
    return text.rpartition("\n</document ")[0]


async def said(client: Client, tool: str, **given: object) -> str:
    """The text of an answer, which is all of it."""
    answer = await client.call_tool(tool, given)
    assert not answer.is_error, answer
    assert answer.structured_content is None
    (content,) = answer.content
    assert isinstance(content, types.TextContent)
    return content.text


async def everything(client: Client, era: str) -> None:
    """A client's day."""
    assert client.protocol_version == ("2025-11-25" if era == "legacy" else "2026-07-28")
    assert client.server_info is not None
    assert client.server_info.name == "pinakes"
    assert "it is data" in (client.instructions or "")

    tools = {tool.name: tool for tool in (await client.list_tools()).tools}
    few = ["map", "search", "read", "links", "history", "remember", "recall", "status"]
    assert list(tools) == [*few, "check", "context", "add", "drop", "list", "forget", "publish"]
    for tool in tools.values():
        assert tool.annotations is not None
        assert tool.annotations.read_only_hint == (tool.name not in ("remember", "add", "drop", "forget", "publish"))
        assert tool.annotations.read_only_hint == (tool.annotations.destructive_hint is None)
        assert tool.output_schema is None, "or every answer would have to be sent twice"
    found = await said(client, "search", query="when do tokens expire?", limit=1, explain=True)
    assert 'address="guide/auth.md#tokens"' in found
    assert "words #1" in found
    assert "guide/auth.md" in await said(client, "map", budget=300)
    assert "\n## Keys\n\nKeys never expire.\n" in await said(client, "read", address="guide/auth.md#keys")
    assert "← docs:index.md#start" in await said(client, "links", address="guide/auth.md")
    assert "documents   2 " in await said(client, "status")
    assert "broken-link" in await said(client, "check")
    refused = await client.call_tool("read", {"address": "guide/auht.md"})
    assert refused.is_error
    assert isinstance(refused.content[0], types.TextContent)
    assert refused.content[0].text.endswith("Did you mean guide/auth.md?")

    listed = await client.list_resources()
    assert [one.uri for one in listed.resources] == ["pinakes://docs/guide/auth.md", "pinakes://docs/index.md"]
    assert len((await client.list_resource_templates()).resource_templates) == 2
    contents = (await client.read_resource("pinakes://docs/guide/auth.md#tokens")).contents
    assert isinstance(contents[0], types.TextResourceContents)
    assert quoted(contents[0]) == "## Tokens\n\nTokens expire after 30 minutes."
    offered = await client.complete(TEMPLATE, {"name": "path", "value": "AUTH"})
    assert offered.completion.values == ["guide/auth.md"]
    offered = await client.complete(TEMPLATE, {"name": "anchor", "value": "k"}, {"path": "guide/auth.md"})
    assert offered.completion.values == ["keys", "tokens"]

    prompts = (await client.list_prompts()).prompts
    assert len(prompts) == 8
    assert all(one.description and one.title for one in prompts)
    made = await client.get_prompt("simplify", {"address": "guide/auth.md#keys"})
    assert isinstance(made.messages[0].content, types.TextContent)
    assert "for a newcomer" in made.messages[0].content.text
    assert isinstance(made.messages[1].content, types.EmbeddedResource)


@pytest.mark.parametrize("era", ERAS)
def test_everything_can_be_asked_on_stdio(root: Path, era: str) -> None:
    async def work() -> None:
        words = command(root, "--preset", "full")
        server = StdioServerParameters(command=words[0], args=words[1:])
        async with Client(stdio_client(server), mode=era) as client:
            await everything(client, era)

    run(work)


@pytest.mark.parametrize("era", ERAS)
def test_everything_can_be_asked_over_http(root: Path, era: str) -> None:
    with served(root, preset="full") as url:

        async def work() -> None:
            async with Client(url, mode=era) as client:
                await everything(client, era)

        run(work)


@pytest.mark.parametrize(
    "uri",
    [
        "pinakes://docs/../secret.md",
        "pinakes://docs/%2e%2e/secret.md",
        "pinakes://docs/%252e%252e/secret.md",
        "pinakes://docs//etc/passwd",
        "pinakes://docs/..%5csecret.md",
        "pinakes://docs/guide/auth.md%00.png",
        "pinakes://docs/.pinakes/library.db",
        "pinakes://docs/index.md:1-2",
        "pinakes://docs/index",
        "pinakes://docs/" + "a" * 5000,
        "pinakes://other/index.md",
        "pinakes://docs",
        "pinakes:///index.md",
        "file:///etc/passwd",
        "/etc/passwd",
        "",
    ],
)
def test_a_uri_that_is_no_document_of_ours_is_refused(root: Path, uri: str) -> None:
    write_tree(root.parent, {"secret.md": "# Secret\n\nunspeakable\n"})

    async def work() -> None:
        async with Client(server_of(McpHandlers(Freshness(Libraries([root])), "few")), mode="legacy") as client:
            with pytest.raises(MCPError) as refused:
                await client.read_resource(uri)
            assert refused.value.code == types.INVALID_PARAMS
            assert "unspeakable" not in refused.value.message

    run(work)


def test_many_documents_are_listed_page_by_page_and_each_once(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {f"n{number:03d}.md": f"# {number}\n" for number in range(450)})

    async def work() -> None:
        async with Client(server_of(McpHandlers(Freshness(Libraries([root])), "few")), mode="legacy") as client:
            page = await client.list_resources()
            uris = [one.uri for one in page.resources]
            while page.next_cursor:
                page = await client.list_resources(cursor=page.next_cursor)
                assert len(page.resources) <= 200
                uris += [one.uri for one in page.resources]
            assert uris == [f"pinakes://docs/n{number:03d}.md" for number in range(450)]
            with pytest.raises(MCPError):
                await client.list_resources(cursor="nonsense")

    run(work)


def test_names_that_are_odd_survive_the_way_through_a_uri(tmp_path: Path) -> None:
    names = ["ä b.md", "a%20b.md", "c#d.md", "e?f.md", "g&h=i.md", "日本.md"]
    root = write_tree(tmp_path / "my docs", {name: f"# {name}\n\ntext of {name}\n" for name in names})

    async def work() -> None:
        async with Client(server_of(McpHandlers(Freshness(Libraries([root])), "few")), mode="legacy") as client:
            listed = {one.name: one.uri for one in (await client.list_resources()).resources}
            assert len(listed) == len(names)
            texts = set()
            for uri in listed.values():
                held = (await client.read_resource(uri)).contents[0]
                assert isinstance(held, types.TextResourceContents)
                texts.add(quoted(held))
            assert texts == {f"# {name}\n\ntext of {name}" for name in names}

    run(work)


def test_subscribers_of_the_older_era_hear_what_changed(root: Path) -> None:
    heard: list[Any] = []
    news = anyio.Event

    async def work() -> None:
        came = news()

        async def hear(message: Any) -> None:
            heard.append(message)
            if isinstance(message, types.ResourceUpdatedNotification):
                came.set()

        server = server_of(McpHandlers(Freshness(Libraries([root]), ALWAYS), "few"))
        async with Client(server, mode="legacy", message_handler=hear) as client:
            await client.call_tool("status", {})
            await client.subscribe_resource("pinakes://docs/guide/auth.md#tokens")
            await client.subscribe_resource("pinakes://docs/index.md")
            await client.unsubscribe_resource("pinakes://docs/index.md")
            write_tree(
                root, {"guide/auth.md": "# Auth\n\n## Tokens\n\nTokens expire after an hour.\n", "index.md": "# I\n"}
            )
            await client.call_tool("status", {})
            await came.wait()

    run(work)
    updated = [one.params.uri for one in heard if isinstance(one, types.ResourceUpdatedNotification)]
    assert updated == ["pinakes://docs/guide/auth.md#tokens"]


@pytest.mark.parametrize("over", ["stdio", "http"])
def test_a_stream_of_the_newer_era_tells_what_changed(root: Path, over: str) -> None:
    uri = "pinakes://docs/guide/auth.md#tokens"

    async def watch(client: Client) -> None:
        await client.call_tool("status", {})
        seen: list[str] = []
        async with client.listen(resource_subscriptions=[uri], resources_list_changed=True) as events:
            write_tree(root, {"guide/auth.md": "# Auth\n\n## Tokens\n\nNo more.\n", "new.md": "# New\n"})
            async for event in events:
                seen.append(type(event).__name__)
                if len(seen) == 2:
                    break
        assert sorted(seen) == ["ResourceUpdated", "ResourcesListChanged"]

    async def on_stdio() -> None:
        words = command(root)
        async with Client(stdio_client(StdioServerParameters(command=words[0], args=words[1:]))) as client:
            await watch(client)

    if over == "stdio":
        run(on_stdio)
        return
    with served(root) as url:

        async def over_http() -> None:
            async with Client(url) as client:
                await watch(client)

        run(over_http)


def test_a_long_first_sync_tells_its_progress_in_numbers_that_only_grow(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {f"n{number}.md": f"# {number}\n\ntext\n" * 20 for number in range(300)})
    told: list[tuple[float, float | None]] = []

    async def work() -> None:
        async def hear(progress: float, total: float | None, message: str | None) -> None:
            told.append((progress, total))

        async with Client(server_of(McpHandlers(Freshness(Libraries([root])), "few")), mode="legacy") as client:
            answer = await client.call_tool("status", {}, progress_callback=hear)
            assert not answer.is_error

    run(work)
    assert told
    assert [one for one, _ in told] == sorted({one for one, _ in told})
    assert all(total is not None and one <= total for one, total in told)


def test_a_call_that_is_cancelled_stops_its_sync_and_the_next_one_is_answered(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {f"n{number}.md": f"# {number}\n\ntext\n" * 50 for number in range(300)})

    async def work() -> None:
        began = anyio.Event()

        async def hear(progress: float, total: float | None, message: str | None) -> None:
            began.set()

        async with Client(server_of(McpHandlers(Freshness(Libraries([root])), "few")), mode="legacy") as client:
            async with anyio.create_task_group() as group:
                group.start_soon(lambda: client.call_tool("status", {}, progress_callback=hear))
                await began.wait()
                group.cancel_scope.cancel()
            assert "documents   300 " in await said(client, "status")

    run(work)


def test_a_slow_comparison_does_not_hold_up_an_answer_that_says_so(root: Path) -> None:
    libraries = Libraries([root])
    done = threading.Event()

    def dawdle(changed: LibraryChange) -> None:
        done.wait(HANG_S)

    async def work() -> None:
        async with Client(server_of(McpHandlers(Freshness(libraries, ALWAYS), "few")), mode="legacy") as client:
            assert "still being compared" not in await said(client, "status")
            libraries.listen(dawdle)  # now a comparison takes its time
            write_tree(root, {"new.md": "# New\n"})
            assert "The folder is still being compared" in await said(client, "status")
            done.set()
            while "still being compared" in (told := await said(client, "status")):
                pass
            assert "documents   3 " in told

    run(work)


def test_several_libraries_are_asked_together_or_by_name(tmp_path: Path) -> None:
    one = write_tree(tmp_path / "one", {"a.md": "# Alpha\n\nThe first lighthouse.\n", "same.md": "# Same\n"})
    two = write_tree(tmp_path / "two", {"b.md": "# Beta\n\nThe second lighthouse.\n", "same.md": "# Same\n"})

    async def work() -> None:
        async with Client(server_of(McpHandlers(Freshness(Libraries([one, two])), "few")), mode="legacy") as client:
            tool = (await client.list_tools()).tools[0]
            assert tool.input_schema["properties"]["library"] == {"enum": ["one", "two"], "description": "default all"}
            assert "# Alpha" in await said(client, "read", address="a.md")
            assert "# Beta" in await said(client, "read", address="b.md", library="two")
            assert "# Beta" in await said(client, "read", address="b.md")
            assert (await client.call_tool("read", {"address": "b.md", "library": "one"})).is_error
            refused = await client.call_tool("read", {"address": "same.md"})
            assert isinstance(refused.content[0], types.TextContent)
            assert refused.content[0].text == "one and two both hold “same.md”. Name one of them with `library`."
            found = await said(client, "search", query="lighthouse")
            for library, page in (("one", "a.md#alpha"), ("two", "b.md#beta")):
                assert re.search(rf'address="{page}" lines="[0-9-]+" library="{library}"', found)
            assert 'library="two"' not in await said(client, "search", query="lighthouse", library="one")
            drawn = await said(client, "map")
            assert drawn.startswith("Quoted from documents")
            assert drawn.index("library one:") < drawn.index("a.md") < drawn.index("library two:") < drawn.index("b.md")
            assert "library" not in await said(client, "map", under="b.md")
            assert count_tokens(await said(client, "search", query="lighthouse", budget=150)) <= 150
            assert count_tokens(await said(client, "status", budget=150)) <= 150
            assert len((await client.get_prompt("summarise", {"address": "b.md"})).messages) == 2
            assert len((await client.list_resources()).resources) == 4

    run(work)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 421),
        ({"Host": "127.0.0.1.evil.example:80"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost.evil.example"}, 403),
        ({"Content-Type": "text/plain"}, 400),
    ],
)
def test_foreign_hosts_origins_and_forms_are_refused_over_http(
    root: Path, headers: dict[str, str], status: int
) -> None:
    import httpx2

    body = '{"jsonrpc":"2.0","id":1,"method":"ping"}'
    usual = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
    with served(root) as url:
        answer = httpx2.post(url, content=body, headers={**usual, **headers})
    assert answer.status_code == status
    assert "access-control-allow-origin" not in answer.headers
