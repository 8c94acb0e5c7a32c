"""Formats whose text is made from the file: notebooks, values between commas, manual pages."""

from __future__ import annotations

import json
from typing import Any

import pytest

from pinakes.parse import parse
from pinakes.records import Document, Media, Raw, Ref, Stamp, formats


def read(content: str | bytes, media: Media, path: str = "guide/page") -> Document:
    data = content if isinstance(content, bytes) else content.encode()
    return parse(Raw(Stamp(Ref("docs", path), "1-1", media), data, "digest"))


def notebook(*cells: dict[str, Any], **others: Any) -> str:
    facts = {"nbformat": 4, "metadata": {"language_info": {"name": "python"}}, "cells": cells}
    return json.dumps(facts | others)


def cell(kind: str, source: str | list[str], *outputs: dict[str, Any]) -> dict[str, Any]:
    return {"cell_type": kind, "source": source, "outputs": list(outputs), "metadata": {}}


ERROR = {"output_type": "error", "ename": "KeyError", "traceback": ["\x1b[0;31mKeyError\x1b[0m: 'n'"]}
PICTURE = {"output_type": "display_data", "data": {"image/png": "aGVsbG8=" * 50}}


def test_the_cells_of_a_notebook_are_its_text() -> None:
    document = read(
        notebook(
            cell("markdown", ["# The Analysis!\n", "See [the data](data.csv)."]),
            cell("code", "print('```')", PICTURE, ERROR),
            cell("markdown", "Before\n\n## Load Data"),
            cell("code", "%%bash\nls"),
        ),
        formats.NOTEBOOK,
    )
    assert document.source.decode() == (
        "# The Analysis!\nSee [the data](data.csv).\n\n````python\nprint('```')\n````\n\n"
        "```text\nKeyError: 'n'\n```\n\nBefore\n\n## Load Data\n\n```bash\n%%bash\nls\n```"
    )
    assert [(one.language, one.section) for one in document.code] == [("python", 1), ("text", 1), ("bash", 2)]
    assert [link.target for link in document.links] == ["data.csv"]
    assert document.title == "The Analysis!"
    assert document.anchors() == {
        **dict.fromkeys(("the-analysis", "The-Analysis!", "cell=1", "cell=2", "cell=3"), "the-analysis"),
        **dict.fromkeys(("load-data", "Load-Data", "cell=4"), "load-data"),
    }


def test_what_a_cell_leaves_open_ends_with_it() -> None:
    opened = ("```python\nx", "text <!-- a comment", "<pre>\nsome", "~~~~\n```")
    document = read(notebook(*[cell("markdown", text) for text in opened], cell("markdown", "# End")), formats.NOTEBOOK)
    assert [section.title for section in document.sections[1:]] == ["End"]


def test_an_old_notebook_keeps_its_cells_in_worksheets() -> None:
    cells = [{"cell_type": "heading", "level": 2, "source": "Old"}, {"cell_type": "code", "input": ["a = 1"]}]
    document = read(json.dumps({"worksheets": [{"cells": cells}], "metadata": {}}), formats.NOTEBOOK)
    assert document.source.decode() == "## Old\n\n```\na = 1\n```"


def test_columns_rows_and_types_are_one_table() -> None:
    rows = "name;age;joined\n" + "".join(f'"A; {n}|<b>";{n};2024-01-0{n}\n' for n in range(1, 4)) + "\n"
    document = read(rows, formats.CELLS, "data/people.csv")
    assert document.title == "people.csv"
    assert document.source.decode() == (
        "3 rows of 3 columns, separated by semicolons: name (text), age (whole number), joined (date).\n\n"
        "| name | age | joined |\n|---|---|---|\n"
        + "".join(f"| A; {n}\\|&lt;b> | {n} | 2024-01-0{n} |\n" for n in range(1, 4))
    )
    assert [len(document.sections), document.sections[0].shapes] == [1, ("table",)]


def test_of_many_rows_the_first_are_shown_and_all_are_counted() -> None:
    document = read("".join(f"{n}\t{n / 7}\t\n" for n in range(5_000)), formats.CELLS, "data/n.tsv")
    said = document.source.decode()
    assert said.startswith(
        "5,000 rows of 3 columns, separated by tabs: column 1 (whole number), column 2 (number), column"
    )
    assert said.count("\n| ") == 21


MAN = r""".\" A comment
.TH LAMP 1 "May 2024"
.SH NAME
lamp \- light the \fIlamp\fR
.SH SYNOPSIS
.B lamp
[\fB\-v\fR]... \fIFILE\fR
.SH OPTIONS
Options\(em see
.BR wick (5),
.BR oil (1).
.TP
\fB\-v\fR, \fB\-\-verbose\fR
say more
.IP \(bu 2
one
.nf
if x:
    \-y
.fi
.SS "Exit status"
.if t printed
.if n shown
"""
MDOC = r""".Dd May 1, 2024
.Dt LAMP 1
.Os
.Sh NAME
.Nm lamp
.Nd light the lamp
.Sh SYNOPSIS
.Nm
.Op Fl v
.Op Ar file ...
.Sh OPTIONS
The
.Nm
utility, see
.Xr wick 5 ,
.Xr oil 1 .
.Bl -tag
.It Fl v , Fl -verbose
Say
.Pq much
more.
.El
.Bd -literal
$ lamp -v
.Ed
"""


def test_a_manual_page_reads_as_in_a_terminal() -> None:
    document = read(MAN, formats.MANUAL, "man/lamp.1")
    assert document.source.decode() == (
        "NAME\n\nlamp - light the lamp\n\nSYNOPSIS\n\nlamp [-v]... FILE\n\nOPTIONS\n\n"
        "Options— see wick(5), oil(1).\n\n-v, --verbose\n    say more\n\n- one\n\nif x:\n    -y\n\n"
        "Exit status\n\nshown\n\n"
    )
    assert (document.title, document.metadata.description) == ("lamp(1)", "light the lamp")
    assert [(one.level, one.title) for one in document.sections[1:]] == [
        *[(1, title) for title in ("NAME", "SYNOPSIS", "OPTIONS")],
        (2, "Exit status"),
    ]
    assert [(link.form, link.target) for link in document.links] == [("path", "wick.5"), ("path", "oil.1")]
    assert [document.text(one.span) for one in document.code] == ["if x:\n    -y\n"]


def test_the_macros_of_bsd_are_read_too() -> None:
    document = read(MDOC, formats.MANUAL, "man/lamp.1")
    assert document.source.decode() == (
        "NAME\n\nlamp – light the lamp\n\nSYNOPSIS\n\nlamp [-v] [file ...]\n\nOPTIONS\n\n"
        "The lamp utility, see wick(5), oil(1).\n\n-v, --verbose\n    Say (much) more.\n\n$ lamp -v\n\n"
    )
    assert (document.title, document.metadata.description) == ("lamp(1)", "light the lamp")


API = """\
openapi: 3.0.3
info: {title: The harbour, version: 1.10, description: "# About\\nShips come."}
paths:
  /ships/{ship_id}:
    parameters:
      - {name: ship_id, in: path, required: true, schema: {type: integer, format: int64}}
    get:
      operationId: getShip
      summary: One ship
      parameters: [{$ref: '#/components/parameters/Wide'}]
      responses:
        200: {description: The ship, content: {application/json: {schema: {$ref: '#/components/schemas/Ship'}}}}
components:
  parameters:
    Wide: {name: wide, in: query, schema: {type: string, enum: [yes, no]}, description: "How | wide"}
  schemas:
    Ship:
      type: object
      required: [name]
      properties:
        name: {type: string, description: As painted}
        crew: {type: array, items: {$ref: '#/components/schemas/Sailor'}}
        home: {type: object, properties: {port: {type: string}}}
    Sailor: {type: string}
"""


def test_an_interface_has_a_section_for_each_operation_and_schema() -> None:
    document = read(API, formats.OPENAPI, "api/harbour.yaml")
    assert document.source.decode() == (
        "# The harbour\n\nVersion 1.10.\n\n### About\nShips come.\n\n## GET /ships/{ship_id}\n\n**One ship**\n\n"
        "| parameter | in | type | required | description |\n|---|---|---|---|---|\n"
        "| ship\\_id | path | integer (int64) | yes |  |\n| wide | query | string: yes, no |  | How \\| wide |\n\n"
        "| response | type | description |\n|---|---|---|\n| 200 | [Ship](#/components/schemas/Ship) | The ship |\n\n"
        "## Ship\n\nType: object\n\n| field | type | required | description |\n|---|---|---|---|\n"
        "| name | string | yes | As painted |\n| crew | array of [Sailor](#/components/schemas/Sailor) |  |  |\n"
        "| home | object |  |  |\n| home.port | string |  |  |\n\n## Sailor\n\nType: string"
    )
    assert document.title == "The harbour"
    anchors = document.anchors()
    for name in ("getShip", "/paths/~1ships~1{ship_id}/get"):
        assert anchors[name] == "get-shipsship_id"
    assert anchors["/components/schemas/Ship"] == anchors["Ship"] == "ship"
    assert [link.target for link in document.links] == ["#/components/schemas/Ship", "#/components/schemas/Sailor"]


def test_swagger_in_json_is_read_and_other_files_are_not() -> None:
    swagger = json.dumps(
        {
            "definitions": {"Ship": {"properties": {"name": {"type": "string"}}}},
            "paths": {"/ships": {"post": {"parameters": [{"name": "n", "in": "query", "type": "string"}]}}},
            "swagger": "2.0",
        }
    )
    document = read(swagger, formats.OPENAPI, "api.json")
    assert [section.title for section in document.sections[1:]] == ["Interface", "POST /ships", "Ship"]
    assert "| n | query | string |  |  |" in document.source.decode()
    assert formats.OPENAPI.is_told_by(swagger.encode())
    assert not formats.OPENAPI.is_told_by(b'{"name": "openapi", "version": "3.0.1"}')
    assert not formats.OPENAPI.is_told_by(b"plugins:\n  openapi: 3.0\n")


HOSTILE: tuple[tuple[Media, bytes], ...] = (
    (formats.NOTEBOOK, b""),
    (formats.NOTEBOOK, b"[]"),
    (formats.NOTEBOOK, b'{"cells": 3}'),
    (formats.NOTEBOOK, b'{"cells":[' + b"[" * 1_000_000),
    (formats.NOTEBOOK, b'{"x":' * 300_000),
    (formats.NOTEBOOK, b'{"cells":[{"cell_type":"markdown","source":"\\ud800"}]}'),
    (formats.NOTEBOOK, b'{"cells":[{"cell_type":"code","source":"\xff\xfe","outputs":{"a":1}}, 3, null]}'),
    (formats.NOTEBOOK, b'{"cells":[{"cell_type":"markdown","source":"' + b"<!--" * 200_000 + b'"}]}'),
    (formats.CELLS, b"," * 1_000_000),
    (formats.CELLS, b'"' + b"a" * 1_000_000),
    (formats.CELLS, b"a," * 500_000),
    (formats.CELLS, b'"a\n' * 300_000),
    (formats.CELLS, b"\x00\xff\n\r\n"),
    (formats.OPENAPI, b"openapi: 3.0\n" + b"a: [" * 100_000),
    (formats.OPENAPI, b"openapi: 3.0\na: &a [x,x]\nb: &b [*a,*a]\nc: " + b"[*b,*b,*b]," * 100_000),
    (formats.OPENAPI, b"openapi: 3.0\ninfo: !!python/object:os.system {}\n"),
    (formats.OPENAPI, b'{"openapi":"3.0","paths":' + b'{"a":' * 100_000),
    (
        formats.OPENAPI,
        b'{"openapi":3,"info":[],"paths":{"/":{"get":3,"put":{"parameters":[1,{"name":[]}]}}},"components":1}',
    ),
    (
        formats.OPENAPI,
        b'{"openapi":"3","components":{"schemas":' + b'{"a":{"properties":' * 200 + b"1" + b"}}" * 200 + b"}}",
    ),
    (formats.OPENAPI, b'{"openapi":"3","components":{"schemas":{"' + b"a" * 500_000 + b'":{"allOf":[]}}}}'),
    (formats.OPENAPI, b"\xff\xfe{"),
    (formats.MANUAL, b".TH a 1\n.TP\n" * 50_000),
    (formats.MANUAL, b".TH a 1\n" + b"\\f" * 500_000),
    (formats.MANUAL, b'.TH a 1\n.BR "' + b'"' * 500_000),
    (formats.MANUAL, b".TH a 1\n" + b"\\[aaa" * 200_000),
    (formats.MANUAL, b".Dd x\n.Op " + b"Op " * 100_000),
    (formats.MANUAL, b".Dd x\n.de x\n.SH a\n\xff\\"),
    (formats.MANUAL, b".TS\n" + b"a\tb\n" * 100_000),
)


@pytest.mark.parametrize(("media", "data"), HOSTILE, ids=[f"{media.name}-{data[:24]!r}" for media, data in HOSTILE])
@pytest.mark.timeout(20)
def test_no_content_makes_a_parser_fail_or_hang(media: Media, data: bytes) -> None:
    document = read(data, media)
    assert document.sections[0].span.end == len(document.source) <= 3 * len(data) + 1_000
    assert document.source or media not in (formats.NOTEBOOK, formats.OPENAPI) or document.warnings[0]
