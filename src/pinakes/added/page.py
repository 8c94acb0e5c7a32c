"""The readable part of a web page, as Markdown.

HTML enters, Markdown and the page's own title leave. A page comes from anybody, and every reader of HTML can be kept
busy for minutes by a page made for that, so the work is done by a process of its own that has limits of time and
memory (see `converter`).
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from dataclasses import dataclass
from importlib.util import find_spec

from pinakes.errors import ExtraMissing, Unfit

_SECONDS = 20.0
_HIDING = re.compile(r"(\s*(?:[-*+>] |\d+[.)] )*)<(?=[!?]|/?(?:script|pre|style|textarea)\b)", re.IGNORECASE)
"""The start of a line that would swallow everything after it, headings included, though it was only spoken of."""
_FENCE = re.compile(r"\s*(`{3,}|~{3,})")


@dataclass(frozen=True, slots=True)
class WebPage:
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
    command = [sys.executable, "-P", "-c", "from pinakes.added.converter import main; main()"]
    try:
        done = subprocess.run(command, input=asked, capture_output=True, timeout=seconds, check=False)
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
