"""The line on a terminal that rewrites itself while work goes on; whatever is printed next takes its place.

Texts enter. Nothing is shown where stderr is no terminal.
"""

from __future__ import annotations

import sys

import click

_WIDTH = 100
_shown = False


def rewrite_line(text: str) -> None:
    """Put another text in place of the last one; nothing for an empty line."""
    global _shown
    if sys.stderr is not None and sys.stderr.isatty():
        click.echo(f"\r\x1b[K{text[:_WIDTH]}", nl=False, err=True)
        _shown = bool(text)


def clear_line() -> None:
    """Take the line away, before something else is printed."""
    if _shown:
        rewrite_line("")
