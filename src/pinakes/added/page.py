"""The readable part of a web page, as Markdown.

HTML enters, Markdown and the page's own title leave. A page comes from anybody, and every reader of HTML can be kept
busy for minutes by a page made for that. So `read_page` starts a process of its own with limits of time and memory, and
`main` converts one page in it, from JSON on standard input to JSON on standard output: a page can at worst end that
process.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from html import unescape
from importlib.util import find_spec

from msgspec import Struct

from pinakes.added.hidden import MARK, hidden_selectors, mark_hidden
from pinakes.errors import ExtraMissing, Unfit
from pinakes.other_python import NEUTRAL, environment, python

_SECONDS = 20.0
_HIDING = re.compile(r"(\s*(?:[-*+>] |\d+[.)] )*)<(?=[!?]|/?(?:script|pre|style|textarea)\b)", re.IGNORECASE)
"""The start of a line that would swallow everything after it, headings included, though it was only spoken of."""
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
MOST_MEMORY = 3 << 30
"""Of address space. A sensible page of 10 MB takes half a gigabyte."""
_LEFT_OUT = (
    f"[{MARK}]",
    *("script", "style", "noscript", "template", "iframe", "object", "canvas", "audio", "video", "datalist"),
    *("nav", "footer", "form", "dialog", "[popover]", "[role=navigation]", "[role=search]", "[role=contentinfo]"),
    "a.headerlink",
)


class WebPage(Struct, frozen=True):
    """What a page says."""

    text: str
    title: str


def read_page(html: str, name: str, base: str = "", *, seconds: float = _SECONDS) -> WebPage:
    """Convert a page; raises `Unfit` when that takes too long, and `ExtraMissing` without its library."""
    if find_spec("html_to_markdown") is None:
        raise ExtraMissing(
            f"{name} is HTML, and the package that converts it is not installed.", "pip install 'pinakes[add]'"
        )
    asked = json.dumps({"html": html, "base": base}).encode()
    command = python("-c", "from pinakes.added.page import main; main()")
    try:
        done = subprocess.run(
            command, input=asked, capture_output=True, timeout=seconds, cwd=NEUTRAL, env=environment(), check=False
        )
    except subprocess.TimeoutExpired:
        raise Unfit(f"{name} takes too long to read: more than {seconds:g} s.", "Add a part of it as text.") from None
    if done.returncode:
        raise Unfit(f"{name} could not be read as HTML.", "Add it as text: --type txt.")
    said = json.loads(done.stdout)
    return WebPage(_shown(said["text"]), said["title"])


def _shown(text: str) -> str:
    """The text with nothing in it that hides the rest, outside of code."""
    lines, fence = [], ""
    for line in text.split("\n"):
        found = _FENCE.match(line)
        if fence:
            fence = "" if found and found[1].startswith(fence) else fence
        elif found:
            fence = found[1]
        else:
            line = _HIDING.sub(r"\1\\<", line, count=1) if _HIDING.match(line) else line
        lines.append(line)
    return "\n".join(lines)


def main() -> None:
    """Read one page and write what it says."""
    _limit()
    asked = json.load(sys.stdin.buffer)
    text, title = converted(asked["html"], asked["base"])
    sys.stdout.buffer.write(json.dumps({"text": text, "title": title}).encode())


def converted(html: str, base: str) -> tuple[str, str]:
    """The readable part as Markdown, and the page's title."""
    from html_to_markdown import ConversionOptions, PreprocessingOptions, convert

    options = ConversionOptions(
        extract_metadata=False,
        autolinks=False,
        compact_tables=True,
        hidden_content="reachable",
        inline_data_media="alt_text_only",
        base_url=base or None,
        exclude_selectors=[*_LEFT_OUT, *hidden_selectors(html)],
        preprocessing=PreprocessingOptions(preset="standard"),
    )
    return convert(mark_hidden(html), options).content or "", _title(html)


def _title(html: str) -> str:
    """What stands in the first <title>; it has to be near the top."""
    found = re.search(r"<title(?:\s[^>]{0,200})?>([^<]{0,1000})", html[:100_000], re.IGNORECASE)
    return " ".join(unescape(found[1]).split()) if found else ""


def _limit() -> None:
    try:
        import resource
    except ImportError:  # not on Windows, where the limit of time has to do
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
