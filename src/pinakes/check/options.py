"""What a user may decide about checks."""

from __future__ import annotations

from msgspec import Struct


class CheckOptions(Struct, frozen=True):
    """By whose rules links are judged."""

    anchors: str = "auto"
    """Who makes the anchors and addresses of pages: `github`, `mkdocs`, `hugo`, `docusaurus`, `vitepress` or `sphinx`;
    `auto` tells it from the configuration of a site generator among the documents."""
