"""How much a request may hold, counted on its raw bytes before a framework or a parser looks at it.

The scope or the body of a request enters; a refusal leaves, or None. Counting takes one pass over the bytes. What comes
after may then take its time with each part: there are only so many.
"""

from __future__ import annotations

import re

from starlette.responses import Response
from starlette.types import Scope

from pinakes.serve.http.options import ServeLimits
from pinakes.serve.http.problems import problem

# A string without its end runs to the end of the body: were it no match, every quote behind it would be tried anew.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+\\?"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")
_CLOSE = {"Connection": "close"}
"""Whoever sends such a request is not waited for."""


def request_refusal(scope: Scope, limits: ServeLimits) -> Response | None:
    """Why the address or the headers of a request are too much; None when they are not."""
    headers = scope["headers"]
    if len(headers) > limits.headers:
        return problem(431, f"A request may have {limits.headers:,} headers, and this one has more.", headers=_CLOSE)
    if any(len(name) + len(value) > limits.one_header_bytes for name, value in headers):
        sentence = f"A header may have {limits.one_header_bytes:,} bytes, and one of these has more."
        return problem(431, sentence, headers=_CLOSE)
    if len(scope["raw_path"]) > limits.path_bytes:
        return problem(414, f"A path may have {limits.path_bytes:,} bytes, and this one has more.", headers=_CLOSE)
    query = scope["query_string"]
    if query.count(b"&") >= limits.parameters:
        sentence = f"A request may have {limits.parameters:,} parameters, and this one has more."
        return problem(400, sentence, "/openapi.json says what each route takes.", headers=_CLOSE)
    if len(query) > limits.header_bytes:
        sentence = f"The parameters of an address may have {limits.header_bytes:,} bytes, and these have more."
        return problem(414, sentence, "POST takes them as JSON.", headers=_CLOSE)
    return None


def json_refusal(body: bytes, limits: ServeLimits) -> Response | None:
    """Why a body, as JSON, is too much to be read; None when it is not, whether it is JSON or no."""
    if b"\0" in body:  # UTF-16 and UTF-32 as well, in which a quote is not where it seems to be
        return problem(400, "The body is not JSON in UTF-8.")
    marks = _STRING.sub(b"", body)
    if len(marks) > limits.body_bytes:  # a large body is one long text
        return problem(413, f"A body may have {limits.body_bytes:,} bytes outside of texts, and this one has more.")
    if re.search(rb"[0-9]{%d}" % limits.digits, marks):
        return problem(400, f"A number may have {limits.digits:,} digits, and one of these has more.")
    if marks.count(b":") > limits.keys:
        return problem(400, f"A body may have {limits.keys:,} keys, and this one has more.")
    brackets = _BRACKET.findall(marks)
    if marks.count(b",") + len(brackets) > limits.values:
        return problem(400, f"A body may have {limits.values:,} values, and this one has more.")
    depth = deepest = 0
    for bracket in brackets:
        depth += 1 if bracket in b"[{" else -1
        deepest = max(deepest, depth)
    if deepest > limits.depth:
        return problem(400, f"A body may be nested {limits.depth:,} deep, and this one is deeper.")
    return None
