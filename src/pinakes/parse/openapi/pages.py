"""The description of an interface as Markdown.

What the file holds enters, as plain values that may be anything; Markdown leaves, with the JSON pointer of each
section. References are followed one step and only inside of the file, for what stands in a table; so no file makes more
text than a few times its own size.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from pinakes.parse.converted import closed, in_cell, table
from pinakes.parse.fields import BadFields
from pinakes.parse.openapi.schemas import fields_of, type_of
from pinakes.parse.openapi.values import listed, mapping, pointed, pointer, said
from pinakes.records.made_text import MadeText

_METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace", "query")
_FENCE = re.compile(r" {0,3}(```|~~~)")
_HEADING = re.compile(r" {0,3}(#{1,6})(?=[ \t])")
_MARKS = re.compile(r"[*<\[`\\]|(?<![A-Za-z0-9])_|_(?![A-Za-z0-9])")
_LONGEST_HEADING = 300


class _Page:
    """Sections written one after another."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.places: list[tuple[int, str]] = []
        self._lines = 0

    def add(self, text: str) -> None:
        if text.strip():
            self.parts.append(text)
            self._lines += text.count("\n") + 2

    def begin(self, level: int, title: str, *names: str) -> None:
        """A heading, and further anchors that lead to it."""
        self.places += [(self._lines, name) for name in names if name]
        self.add(f"{'#' * level} {heading(title)}")


def written(held: object) -> MadeText:
    """The Markdown of a whole description; raises `BadFields` for what is none."""
    root = mapping(held)
    if not ("openapi" in root or "swagger" in root):
        raise BadFields("it does not say openapi or swagger at its top")
    page, info = _Page(), mapping(root.get("info"))
    title, version = said(info.get("title")), said(info.get("version"))
    page.begin(1, title or "Interface")
    page.add(f"Version {in_cell(version)}." if version else "")
    page.add(described(info))
    servers = [in_cell(said(mapping(one).get("url"))) for one in listed(root.get("servers"))]
    if host := said(root.get("host")):
        servers.append(in_cell(f"{host}{said(root.get('basePath'))}"))
    page.add("\n".join(f"- Server: {server}" for server in servers[:20] if server))
    for group, path, item in _paths(root):
        _operations(page, root, group, path, item)
    for home in ("components/schemas", "definitions"):
        for name, schema in mapping(pointed(root, f"#/{home}")).items():
            _schema(page, root, home, name, mapping(schema))
    return MadeText("\n\n".join(page.parts), tuple(page.places), title=" ".join(title.split())[:_LONGEST_HEADING])


def _paths(root: Mapping[str, object]) -> Iterator[tuple[str, str, Mapping[str, object]]]:
    for group in ("paths", "webhooks"):
        for path, item in mapping(root.get(group)).items():
            yield group, path, mapping(item)


def _operations(page: _Page, root: Mapping[str, object], group: str, path: str, item: Mapping[str, object]) -> None:
    for method in _METHODS:
        if method not in item:
            continue
        operation = mapping(item[method])
        page.begin(
            2,
            f"{method.upper()} {path}",
            said(operation.get("operationId"))[:_LONGEST_HEADING],
            pointer(group, path, method),
        )
        summary = said(operation.get("summary")) or said(item.get("summary"))
        page.add(f"**{in_cell(summary, 300)}**" if summary else "")
        page.add("Deprecated." if said(operation.get("deprecated")) == "true" else "")
        page.add(described(operation) or described(item))
        tags = ", ".join(in_cell(said(tag)) for tag in listed(operation.get("tags"))[:20])
        page.add(f"Tags: {tags}" if tags else "")
        page.add(_parameters(root, [*listed(item.get("parameters")), *listed(operation.get("parameters"))]))
        page.add(_body(root, operation.get("requestBody")))
        page.add(_responses(root, mapping(operation.get("responses"))))


def _parameters(root: Mapping[str, object], given: Iterable[object]) -> str:
    rows: dict[tuple[str, str], list[str]] = {}
    for one in given:
        parameter = mapping(pointed(root, one))
        name, where = said(parameter.get("name")), said(parameter.get("in"))
        if name:
            schema = parameter.get("schema", parameter)
            is_required = "yes" if said(parameter.get("required")) == "true" else ""
            about = in_cell(said(parameter.get("description")), 400)
            # An operation's own parameter takes the place of that of its path.
            rows[name, where] = [in_cell(name), in_cell(where), type_of(schema), is_required, about]
    return table(("parameter", "in", "type", "required", "description"), rows.values()) if rows else ""


def _body(root: Mapping[str, object], given: object) -> str:
    body = mapping(pointed(root, given))
    if not body:
        return ""
    about = in_cell(said(body.get("description")), 400)
    lines = [f"Request body{': ' + about if about else ''}"]
    lines += [f"- {in_cell(kind)}: {shape}" for kind, shape in _contents(body)]
    return "\n".join(lines) if len(lines) == 1 else f"{lines[0]}\n\n" + "\n".join(lines[1:])


def _responses(root: Mapping[str, object], given: Mapping[str, object]) -> str:
    rows = []
    for status, one in given.items():
        response = mapping(pointed(root, one))
        shapes = [shape for _, shape in _contents(response)] or [type_of(response.get("schema"))]
        about = in_cell(said(response.get("description")), 400)
        rows.append([in_cell(status), ", ".join(dict.fromkeys(filter(None, shapes))), about])
    return table(("response", "type", "description"), rows) if rows else ""


def _contents(held: Mapping[str, object]) -> list[tuple[str, str]]:
    contents = list(mapping(held.get("content")).items())[:20]
    return [(kind, type_of(mapping(one).get("schema"))) for kind, one in contents]


def _schema(page: _Page, root: Mapping[str, object], home: str, name: str, schema: Mapping[str, object]) -> None:
    page.begin(2, name, name[:_LONGEST_HEADING], pointer(*home.split("/"), name))
    page.add(f"Type: {type_of(schema, is_whole=True)}")
    page.add(described(schema))
    rows = list(fields_of(schema))
    page.add(table(("field", "type", "required", "description"), rows) if rows else "")


def described(held: Mapping[str, object]) -> str:
    """A description, which is Markdown: its headings stand below those of the section."""
    lines, fence = [], ""
    for line in closed(said(held.get("description")).replace("\r\n", "\n").replace("\r", "\n").strip()).split("\n"):
        found = _FENCE.match(line)
        if fence:
            fence = "" if found and found[1] == fence else fence
        elif found:
            fence = found[1]
        elif deeper := _HEADING.match(line):
            line = "#" * min(len(deeper[1]) + 2, 6) + line[deeper.end() :]
        lines.append(line)
    return "\n".join(lines)


def heading(title: str) -> str:
    """A title on one line, with nothing in it that Markdown would read."""
    text = " ".join(title[: 4 * _LONGEST_HEADING].split())[:_LONGEST_HEADING]
    return _MARKS.sub(lambda found: f"\\{found[0]}", text) or "?"
