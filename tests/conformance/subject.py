"""Our server, as the conformance suite wants to meet it: with the tools, resources and prompts that it calls by name.

Everything that is not called by one of those names goes to the real handlers. Run it with a folder and a port.
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio
import uvicorn
from mcp import types
from mcp.server.lowlevel import Server
from mcp.server.subscriptions import PromptsListChanged, ToolsListChanged
from mcp.shared.exceptions import MCPError

from pinakes.serve.freshness import Freshness
from pinakes.serve.libraries import Libraries
from pinakes.serve.mcp.http import app_of
from pinakes.serve.mcp.logs import Context
from pinakes.serve.mcp.server import McpHandlers, server_of

PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
SILENCE = "UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA="
SCHEMA_2020_12: dict[str, Any] = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}

_PLAIN: dict[str, Any] = {"type": "object", "properties": {}}
_SCHEMAS: dict[str, dict[str, Any]] = {
    "json_schema_2020_12_tool": SCHEMA_2020_12,
    "test_headers": {"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}}},
}


def text(said: str) -> types.TextContent:
    return types.TextContent(type="text", text=said)


def image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PIXEL, mime_type="image/png")


def embedded(uri: str, said: str, mime_type: str = "text/plain") -> types.EmbeddedResource:
    return types.EmbeddedResource(
        type="resource", resource=types.TextResourceContents(uri=uri, mime_type=mime_type, text=said)
    )


TOOLS: dict[str, list[types.ContentBlock]] = {
    "test_simple_text": [text("This is a simple text response for testing.")],
    "test_image_content": [image()],
    "test_audio_content": [types.AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")],
    "test_embedded_resource": [embedded("test://embedded-resource", "This is an embedded resource content.")],
    "test_multiple_content_types": [
        text("Multiple content types test:"),
        image(),
        embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
    ],
    "test_error_handling": [text("This tool intentionally returns an error for testing")],
    "test_tool_with_progress": [text("Done.")],
    "test_logging_tool": [text("Logged.")],
    "test_tool_with_logging": [text("Logged.")],
    "test_trigger_tool_change": [text("Told.")],
    "test_trigger_prompt_change": [text("Told.")],
    "test_streaming_elicitation": [text("Nothing is asked back.")],
    "test_missing_capability": [text("The client can sample.")],
    "test_headers": [text("Taken.")],
    "json_schema_2020_12_tool": [text("Taken.")],
}

RESOURCES: dict[str, types.TextResourceContents | types.BlobResourceContents] = {
    "test://static-text": types.TextResourceContents(
        uri="test://static-text", mime_type="text/plain", text="This is the content of the static text resource."
    ),
    "test://static-binary": types.BlobResourceContents(uri="test://static-binary", mime_type="image/png", blob=PIXEL),
    "test://template/123/data": types.TextResourceContents(
        uri="test://template/123/data", mime_type="application/json", text='{"id":"123","templateTest":true}'
    ),
    "test://watched-resource": types.TextResourceContents(uri="test://watched-resource", text="Watched."),
}

PROMPTS: dict[str, Callable[[dict[str, str]], list[types.ContentBlock]]] = {
    "test_simple_prompt": lambda given: [text("This is a simple prompt for testing.")],
    "test_prompt_with_arguments": lambda given: [
        text(f"Prompt with arguments: arg1='{given.get('arg1')}', arg2='{given.get('arg2')}'")
    ],
    "test_prompt_with_embedded_resource": lambda given: [
        embedded(given.get("resourceUri", ""), "Embedded resource content for testing."),
        text("Please process the embedded resource above."),
    ],
    "test_prompt_with_image": lambda given: [image(), text("Please analyze the image above.")],
}
_ARGUMENTS = {"test_prompt_with_arguments": ("arg1", "arg2"), "test_prompt_with_embedded_resource": ("resourceUri",)}


async def tool(desk: McpHandlers, ctx: Context, name: str) -> types.CallToolResult:
    if name == "test_tool_with_progress":
        for reached in (0, 50, 100):
            await ctx.session.report_progress(reached, 100)
            await anyio.sleep(0.05)
    if name in ("test_logging_tool", "test_tool_with_logging"):
        for words in ("Tool execution started", "Tool processing data", "Tool execution completed"):
            await desk.logs.say(ctx, "info", words)
            await anyio.sleep(0.05)
    can = ctx.session.client_capabilities
    if name == "test_missing_capability" and (can is None or can.sampling is None):
        needed: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "The client must be able to sample.", needed)
    if name == "test_trigger_tool_change":
        await desk.news.publish(ToolsListChanged())
    if name == "test_trigger_prompt_change":
        await desk.news.publish(PromptsListChanged())
    return types.CallToolResult(content=TOOLS[name], is_error=name == "test_error_handling")


def dressed(server: Server[Any], desk: McpHandlers) -> Server[Any]:
    """The same server, answering the suite's own names beside ours."""

    def ours(method: str) -> Callable[..., Awaitable[Any]]:
        entry = server.get_request_handler(method)
        assert entry is not None
        return entry.handler

    list_tools, call_tool, read = ours("tools/list"), ours("tools/call"), ours("resources/read")
    list_prompts, get_prompt, subscribe = ours("prompts/list"), ours("prompts/get"), ours("resources/subscribe")

    async def all_tools(ctx: Context, params: types.PaginatedRequestParams) -> types.ListToolsResult:
        listed: types.ListToolsResult = await list_tools(ctx, params)
        for name in TOOLS:
            schema = _SCHEMAS.get(name, _PLAIN)
            listed.tools.append(types.Tool(name=name, description="For the suite.", input_schema=schema))
        return listed

    async def any_tool(ctx: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        made: types.CallToolResult = (
            await tool(desk, ctx, params.name) if params.name in TOOLS else await call_tool(ctx, params)
        )
        return made

    async def any_resource(ctx: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        if params.uri in RESOURCES:
            return types.ReadResourceResult(contents=[RESOURCES[params.uri]])
        found: types.ReadResourceResult = await read(ctx, params)
        return found

    async def watch(ctx: Context, params: types.SubscribeRequestParams) -> types.EmptyResult:
        made: types.EmptyResult = types.EmptyResult() if params.uri in RESOURCES else await subscribe(ctx, params)
        return made

    async def all_prompts(ctx: Context, params: types.PaginatedRequestParams) -> types.ListPromptsResult:
        listed: types.ListPromptsResult = await list_prompts(ctx, params)
        for name in PROMPTS:
            wanted = [types.PromptArgument(name=one, required=True) for one in _ARGUMENTS.get(name, ())]
            listed.prompts.append(types.Prompt(name=name, description="For the suite.", arguments=wanted))
        return listed

    async def any_prompt(ctx: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        if params.name in PROMPTS:
            said = PROMPTS[params.name](params.arguments or {})
            return types.GetPromptResult(messages=[types.PromptMessage(role="user", content=one) for one in said])
        made: types.GetPromptResult = await get_prompt(ctx, params)
        return made

    server.add_request_handler("tools/list", types.PaginatedRequestParams, all_tools)
    server.add_request_handler("tools/call", types.CallToolRequestParams, any_tool)
    server.add_request_handler("resources/read", types.ReadResourceRequestParams, any_resource)
    server.add_request_handler("resources/subscribe", types.SubscribeRequestParams, watch)
    server.add_request_handler("prompts/list", types.PaginatedRequestParams, all_prompts)
    server.add_request_handler("prompts/get", types.GetPromptRequestParams, any_prompt)
    return server


def main(root: str, port: str) -> None:
    desk = McpHandlers(Freshness(Libraries([Path(root)])), "full")
    app = app_of(dressed(server_of(desk), desk))
    uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="warning")


if __name__ == "__main__":
    main(*sys.argv[1:])
