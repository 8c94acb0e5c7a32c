"""The program that converts one web page: JSON on standard input, JSON on standard output.

It runs in a process of its own, so that a page can at worst end that process.
"""

from __future__ import annotations

import json
import sys

MOST_MEMORY = 3 << 30
"""Of address space. A sensible page of 10 MB takes half a gigabyte."""
_LEFT_OUT = (
    *("script", "style", "noscript", "template", "iframe", "object"),
    *("nav", "footer", "form", "dialog", "[role=navigation]", "[role=search]", "[role=contentinfo]"),
    "a.headerlink",
)


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
        exclude_selectors=list(_LEFT_OUT),
        preprocessing=PreprocessingOptions(preset="standard"),
    )
    return convert(html, options).content or "", _title(html)


def _title(html: str) -> str:
    """What stands in the first <title>; it has to be near the top."""
    import re
    from html import unescape

    found = re.search(r"<title(?:\s[^>]{0,200})?>([^<]{0,1000})", html[:100_000], re.IGNORECASE)
    return " ".join(unescape(found[1]).split()) if found else ""


def _limit() -> None:
    try:
        import resource
    except ImportError:  # not on Windows, where the limit of time has to do
        return
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
