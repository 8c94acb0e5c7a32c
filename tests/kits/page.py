"""A real server with the page in it, a real Chromium in front of it, and the most hostile documents we know."""

from __future__ import annotations

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import uvicorn

from pinakes.serve.http import ServeOptions, create_app, listen_at
from pinakes.serve.http.guard import Guard
from pinakes.serve.libraries import Libraries

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome") or ""
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]

RICH = """# Rich

Energy is $E = mc^2$.

```mermaid
flowchart LR
  A[Lit] --> B[Dark]
```

=== "One"

    wick

=== "Two"

    lens
"""
"""A formula, a diagram and tabs, each of which a script draws."""

LIBRARY: dict[str, str | bytes] = {
    "README.md": "# Lighthouse\n\nHow it is run. Start with the [guide](guide/lamp.md#trimming-the-wick).\n",
    "guide/lamp.md": (
        "---\ntitle: The lamp\ntags: [oil]\nauthor: Ada\n---\n# The lamp\n\nThe lamp burns whale oil all night.\n\n"
        "## Trimming the wick\n\nTrim the wick every four hours, or the flame smokes. See [[fog]].\n\n"
        "```python\nprint('wick')\n```\n\n| part | made of |\n|---|--:|\n| lens | glass |\n\n![the lens](lens.svg)\n\n"
        "[nowhere](missing.md)\n"
    ),
    "guide/fog.md": "# Fog\n\nIn fog the bell rings each minute. The [lamp](lamp.md) stays lit.\n\n## Bell\n\nIron\n",
    "guide/lens.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><text x="1" y="5">Lens</text></svg>',
    "spec/signals.md": "# Specification of signals\n\nA signal MUST be seen nine miles away. Two flashes mean fog.\n",
    "notes.txt": "Keeper's notes: the wick burned badly on Tuesday.\n",
}

_EVIL = "http://evil.invalid"
_ACT = "document.documentElement.dataset.owned='yes'"
HOSTILE: dict[str, str | bytes] = {
    "hostile.md": (
        f'---\ntitle: "<script>{_ACT}</script>"\ndescription: "<img src=x onerror={_ACT}>"\n'
        f'tags: ["<b onclick={_ACT}>"]\nauthor: "\\"><script>{_ACT}</script>"\n---\n'
        f"# Poison <script>{_ACT}</script> <img src=x onerror={_ACT}>\n\n"
        f"<script>{_ACT}</script>\n\n<script src='{_EVIL}/a.js'></script>\n\n"
        f"<img src=x onerror=\"{_ACT}\"> <img src='{_EVIL}/spy.png'> ![spy]({_EVIL}/spy2.png)\n\n"
        f'<a href="javascript:{_ACT}" id=js>poison one</a> [two](javascript:{_ACT}) <javascript:{_ACT}>\n\n'
        f"[three](data:text/html,<script>{_ACT}</script>) [four](vbscript:x) [five](JaVaScRiPt:{_ACT})\n\n"
        f"<svg onload={_ACT}><script>{_ACT}</script><foreignObject><img src={_EVIL}/f.png></foreignObject></svg>\n\n"
        f"<iframe src='{_EVIL}/frame'></iframe><object data='{_EVIL}/o'></object><embed src='{_EVIL}/e'>\n\n"
        f"<style>@import '{_EVIL}/s.css'; body {{ background: url({_EVIL}/b.png) }}</style>\n\n"
        f"<link rel=stylesheet href='{_EVIL}/l.css'><meta http-equiv=refresh content='0;url={_EVIL}'>\n\n"
        f"<form action='{_EVIL}'><input name=q autofocus onfocus={_ACT}><button>go</button></form>\n\n"
        f"<base href='{_EVIL}/'><details open ontoggle={_ACT}><summary>poison</summary></details>\n\n"
        f"<p style='background:url({_EVIL}/p.png)' onmouseover={_ACT} data-k='0-0' class=top>styled poison</p>\n\n"
        f"<math><mtext></p><style><img src=x onerror={_ACT}></style></mtext></math>\n\n"
        f'<noscript><p title="</noscript><img src=x onerror={_ACT}>"></noscript>\n\n'
        f"<video src='{_EVIL}/v.mp4' poster='{_EVIL}/v.png'></video><audio src='{_EVIL}/a.mp3' autoplay></audio>\n\n"
        f"[[hostile|<img src=x onerror={_ACT}>]] ![drawing](hostile.svg) `<script>{_ACT}</script>`\n\n"
        f'```html\n<script>{_ACT}</script>\n```\n\n## Poison " onmouseover={_ACT} x="\n\nmore poison\n'
    ),
    "hostile.svg": (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" onload="{_ACT}" '
        f'viewBox="0 0 99 99"><script>{_ACT}; fetch("{_EVIL}/svg")</script>'
        f'<image xlink:href="{_EVIL}/i.png" width="9" height="9"/><use href="{_EVIL}/u.svg#x"/>'
        f'<foreignObject width="99" height="99"><body xmlns="http://www.w3.org/1999/xhtml">'
        f'<script>{_ACT}</script><img src="{_EVIL}/fo.png"/></body></foreignObject>'
        f'<style>@import url("{_EVIL}/svg.css"); text {{ fill: url({_EVIL}/x.svg#y) }}</style>'
        f'<text x="3" y="20">poison drawing</text></svg>'
    ),
    f"<img src=x onerror={_ACT}>.md": "# Named poison\n\npoison by name\n",
    'quote".md': "# Quoted poison\n\npoison with a \u202equote\n",
    "hash#and?question.md": "# Marked poison\n\npoison [back](hostile.md)\n",
    "rst.rst": f"Poison\n======\n\n.. raw:: html\n\n   <script>{_ACT}</script>\n",
}


class Answer(NamedTuple):
    """What a plain client gets."""

    status: int
    headers: dict[str, str]
    body: str


class Served(NamedTuple):
    """A running server."""

    address: str
    port: int

    def get(self, path: str, headers: dict[str, str] | None = None) -> Answer:
        """Ask without a browser; `path` goes out as it is."""
        connection = HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request("GET", path, headers=headers or {})
            answer = connection.getresponse()
            told = {name.lower(): value for name, value in answer.getheaders()}
            return Answer(answer.status, told, answer.read().decode("utf-8", "replace"))
        finally:
            connection.close()


@contextmanager
def served(*roots: Path) -> Iterator[Served]:
    """Serve folders on a free port of loopback until the block ends."""
    libraries = Libraries(roots)
    with running(libraries, lambda options: create_app(libraries, options)) as site:
        yield site


@contextmanager
def running(libraries: Libraries, make: Callable[[ServeOptions], Guard], port: int = 0) -> Iterator[Served]:
    """Run an app of libraries on a port of loopback, by default a free one, until the block ends; then close them."""
    listening = listen_at(ServeOptions(port=port))
    port = listening.getsockname()[1]
    app = make(ServeOptions(port=port))
    config = uvicorn.Config(app, log_level="error", lifespan="on", ws="none", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        yield Served(f"http://127.0.0.1:{port}", port)
    finally:
        server.should_exit = True
        app.close()
        thread.join()
        libraries.close()
        listening.close()


@contextmanager
def flawless_page(browser: Browser, address: str, path: str) -> Iterator[Page]:
    """A page on a desk, opened at `path` and drawn; at the end nothing of it may have failed or complained."""
    from playwright.sync_api import expect

    with browser.new_context(base_url=address, viewport={"width": 1280, "height": 800}) as context:
        page = context.new_page()
        troubles: list[str] = []
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("console", lambda said: troubles.append(said.text) if said.type == "error" else None)
        page.goto(path)
        expect(page.locator(".left .tree a").first).to_be_visible()
        yield page
        assert troubles == [], troubles
