"""What a user may decide about checks."""

from __future__ import annotations

from msgspec import Struct


class CheckOptions(Struct, frozen=True):
    """By whose rules links are judged, and how servers on the web are asked."""

    anchors: str = "auto"
    """Who makes the anchors and addresses of pages: `github`, `mkdocs`, `hugo`, `docusaurus`, `vitepress` or `sphinx`;
    `auto` tells it from the configuration of a site generator among the documents."""
    exclude: tuple[str, ...] = ()
    """Addresses on the web that `check --external` leaves out: beginnings, or patterns in which `*` stands for
    anything."""
    accept: tuple[str, ...] = ("200-299",)
    """Statuses of web servers that count as good: single ones and ranges."""
    max_age_days: int = 7
    """How long a good answer of a web server is believed; 0 asks every time."""
    timeout_s: float = 20.0
    """How long `check --external` waits for one address, redirects included."""
    retries: int = 2
    """How often a web server that does not answer, or has trouble of its own, is asked again."""
    host_delay_s: float = 0.25
    """The pause between two requests to one web server."""


class WebCheck(Struct, frozen=True):
    """That links to the web are checked too, and what this once is other than in the settings."""

    exclude: tuple[str, ...] = ()
    """Left out besides those of the settings."""
    accept: tuple[str, ...] = ()
    """In place of those of the settings."""
    max_age_days: int | None = None
