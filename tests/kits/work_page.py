"""A real workspace behind a real server, a real provider of answers behind it, and a real Chromium in front."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from kits.page import LIBRARY, Served, running
from kits.providers import ProviderServer
from pinakes.serve.http import ServeOptions, create_app
from pinakes.serve.http.guard import Guard
from pinakes.serve.libraries import Libraries
from pinakes.serve.work.desk import open_workspace

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

WORKPLACE: dict[str, str | bytes] = {
    **LIBRARY,
    "src/lamp.py": 'def trim(hours: int) -> str:\n    """Trim the wick."""\n    return "trim" * hours\n',
    "src/keeper.py": "from lamp import trim\n\n\nclass Keeper:\n    def night(self) -> str:\n        return trim(4)\n",
}
"""Documents, a drawing and some code."""
EDIT = (
    "The wick is trimmed more often now.\n\n"
    "guide/lamp.md\n<<<<<<< FIND\nTrim the wick every four hours, or the flame smokes.\n=======\n"
    "Trim the wick every three hours, or the flame smokes.\n>>>>>>> END\n\nThat is all.\n"
)
"""An answer that wants one change."""
_VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.violations.push(`${event.violatedDirective}: ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
});
"""


@contextmanager
def working(root: Path, provider: ProviderServer | None = None, port: int = 0, token: str = "") -> Iterator[Served]:
    """A workspace over a folder on a port of loopback, by default a free one; without a provider there is no
    conversation."""
    settings: dict[str, object] = {"code.enabled": True}
    if provider is not None:
        talk = {"provider": "openai", "model": "gpt-large", "endpoint": provider.openai}
        settings |= {f"work.{name}": value for name, value in talk.items()}
    libraries = Libraries((root,), settings)

    def make(options: ServeOptions) -> Guard:
        return create_app(libraries, replace(options, write_token=token), open_workspace(libraries))

    with running(libraries, make, port) as site:
        yield site


@contextmanager
def work_page(
    browser: Browser, site: Served, allowed: Sequence[str] = (), *, waits_for_documents: bool = True, **context: Any
) -> Iterator[Page]:
    """The page of a workspace, drawn; at the end nothing of it may have failed, complained or been refused by its
    policy, but what is `allowed`: parts of messages."""
    from playwright.sync_api import expect

    context.setdefault("viewport", {"width": 1280, "height": 800})
    with browser.new_context(base_url=site.address, **context) as opened:
        opened.add_init_script(_VIOLATIONS)
        page = opened.new_page()
        troubles: list[str] = []
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
        page.goto("/work")
        expect(page.locator(".start")).to_be_hidden(timeout=30_000)
        if waits_for_documents:
            expect(page.get_by_role("radio", name="Documents", exact=True)).to_be_attached(timeout=60_000)
        yield page
        refused = page.evaluate("window.violations")
        assert not refused, refused
        left = [one for one in troubles if not any(part in one for part in allowed)]
        assert not left, left
