"""Published drawings: nothing in them acts, and what is drawn stays."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kits.page import CHROMIUM, LIBRARY
from kits.publish import publish
from kits.trees import write_tree
from pinakes.publish.drawing import inert

ACT = "document.documentElement.setAttribute('data-owned','yes')"
EVIL = "http://evil.invalid"
XLINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
HTML = 'xmlns="http://www.w3.org/1999/xhtml"'


def svg(inside: str, more: str = "") -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg" {XLINK} viewBox="0 0 90 90" {more}>{inside}</svg>'


def foreign(inside: str) -> str:
    return svg(f"<foreignObject>{inside}</foreignObject>")


SHAPE = '<circle cx="40" cy="40" r="30" fill="#06c"/>'
HOSTILE = {
    "script": svg(f"<script>{ACT}</script>{SHAPE}"),
    "script elsewhere": svg(f'<script href="{EVIL}/a.js"/><script xlink:href="data:text/javascript,{ACT}"/>'),
    "prefixed script": f'<s:svg xmlns:s="http://www.w3.org/2000/svg"><s:script>{ACT}</s:script></s:svg>',
    "html script": svg(f"<script {HTML}>{ACT}</script>"),
    "onload": svg(SHAPE, f'onload="{ACT}"'),
    "handlers": svg(f'<rect width="9" height="9" onclick="{ACT}" onbegin="{ACT}" onfocus="{ACT}" tabindex="0"/>'),
    "onbegin": svg(f'<rect><animate attributeName="x" dur="1s" onbegin="{ACT}"/></rect>'),
    "foreign html": foreign(f'<body {HTML} onload="{ACT}"><img src="x" onerror="{ACT}"/></body>'),
    "foreign frame": foreign(f'<iframe {HTML} srcdoc="&lt;script&gt;parent.{ACT}&lt;/script&gt;"/>'),
    "foreign svg": foreign(f'<div {HTML}><svg xmlns="http://www.w3.org/2000/svg" onload="{ACT}"/></div>'),
    "meta": svg(f'<meta {HTML} http-equiv="refresh" content="0;url={EVIL}"/>'),
    "link": svg(f'<link {HTML} rel="stylesheet" href="{EVIL}/s.css"/>'),
    "base": svg(f'<base {HTML} href="{EVIL}"/>'),
    "form": foreign(f'<form {HTML} action="{EVIL}"><input autofocus="" onfocus="{ACT}"/></form>'),
    "javascript link": svg(
        f'<a href="javascript:{ACT}"><text y="20">x</text></a><a xlink:href=" java&#10;script:{ACT}"/>'
    ),
    "link by animation": svg(f'<a href="#"><set attributeName="href" to="javascript:{ACT}"/><text y="9">x</text></a>'),
    "link by animation 2": svg(f'<a><animate attributeName="xlink:href" values="javascript:{ACT}"/><text>x</text></a>'),
    "handler by animation": svg(f'<rect><set attributeName="onclick" to="{ACT}"/></rect>'),
    "use elsewhere": svg(
        f'<use href="{EVIL}/x.svg#a"/><use xlink:href="data:image/svg+xml,&lt;svg id=a onload={ACT}&gt;#a"/>'
    ),
    "image elsewhere": svg(f'<image href="{EVIL}/i.png" width="9" height="9"/><feImage href="{EVIL}/f.png"/>'),
    "protocol": svg('<image href="//evil.invalid/i.png" width="9" height="9"/>'),
    "import": svg(f"<style>@import '{EVIL}/a.css'; @import url({EVIL}/b.css); rect {{ fill: red }}</style>{SHAPE}"),
    "hidden import": svg(f"<style>@\\69mport '{EVIL}/a.css'; rect{{background:u\\72l({EVIL}/b)}}</style>"),
    "cdata style": svg(f"<style><![CDATA[@import '{EVIL}/a.css';]]></style>"),
    "style children": svg(f"<style>@im<g/>port '{EVIL}/a.css';</style>"),
    "font": svg(
        f"<style>@font-face {{ font-family: x; src: url('{EVIL}/f.woff') }}"
        "text { font-family: x }</style><text>x</text>"
    ),
    "background": svg(
        f'<rect style="background:url({EVIL}/b.png);fill:url( &quot;{EVIL}/p#x&quot; )" width="9" height="9"/>'
    ),
    "fill": svg(f'<rect fill="url({EVIL}/p.svg#x)" filter="url(\'{EVIL}/f.svg#x\')" width="9" height="9"/>'),
    "image set": svg(f"<style>svg {{ background: image-set('{EVIL}/i.png' 1x) }}</style>"),
    "cursor": svg(f'<rect width="90" height="90" style="cursor:url({EVIL}/c.cur),auto"/>'),
    "xml base": svg('<image href="i.png" width="9" height="9"/>', f'xml:base="{EVIL}/"'),
    "stylesheet": f'<?xml-stylesheet href="{EVIL}/x.xsl" type="text/xsl"?>' + svg(SHAPE),
    "entity": f'<!DOCTYPE svg [<!ENTITY a "&#60;script '
    f'xmlns=&#39;http://www.w3.org/2000/svg&#39;&#62;{ACT}&#60;/script&#62;">]>' + svg("&a;"),
    "defaulted": f'<!DOCTYPE svg [<!ATTLIST svg onload CDATA "{ACT}">]>' + svg(SHAPE),
    "external": f'<!DOCTYPE svg SYSTEM "{EVIL}/x.dtd">' + svg(SHAPE),
    "broken": f'<svg xmlns="http://www.w3.org/2000/svg"><script>{ACT}</script><text>x</svg>',
    "no drawing": f"<html {HTML}><script>{ACT}</script></html>",
    "nothing": f"<script>{ACT}</script>",
    "handler": svg(f'<handler xmlns:ev="http://www.w3.org/2001/xml-events" ev:event="load">{ACT}</handler>'),
    "media": svg(
        f'<video {HTML} src="{EVIL}/v.mp4" autoplay=""/><audio {HTML} src="{EVIL}/a.mp3"/><embed {HTML} src="{EVIL}"/>'
    ),
    "upper case": svg(f'<rect ONCLICK="{ACT}" OnLoad="{ACT}"/><SCRIPT>{ACT}</SCRIPT>'),
}
ENCODED = {
    "utf-16": ('<?xml version="1.0" encoding="utf-16"?>' + HOSTILE["script"]).encode("utf-16"),
    "utf-7": b'<?xml version="1.0" encoding="utf-7"?>' + HOSTILE["script"].encode("utf-7"),
    "latin": ('<?xml version="1.0" encoding="iso-8859-1"?>' + HOSTILE["onload"]).encode("latin-1"),
}
PLAIN = {
    "shape": svg(SHAPE),
    "text": '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<!-- a lamp --><svg xmlns="http://www.w3.org/2000/svg"><text>\\n</text></svg>\n',
    "style": svg('<style>.a { fill: url(#g); font: 9px "Arial" }</style><rect class="a" style="stroke:#fff"/>'),
    "moving": svg('<circle r="4"><animate attributeName="r" values="4;8" dur="1s"/></circle>'),
    "link": svg(
        '<a href="https://example.org/"><text y="9">there</text></a><a href="guide/lamp.md"><text>here</text></a>'
    ),
    "labels": svg(
        f'<foreignObject width="90" height="20"><div {HTML} style="color:red"><b>Lamp</b></div></foreignObject>'
    ),
    "picture": svg('<image width="9" height="9" href="data:image/png;base64,iVBORw0KGgo="/>'),
    "gradient": svg('<linearGradient id="g"><stop offset="0"/></linearGradient><use href="#g"/><rect fill="url(#g)"/>'),
}


def assert_inert(drawing: bytes) -> None:
    text = drawing.decode("utf-8")
    assert not re.search(r"<!(?!--)|<\?(?!xml )|evil\.invalid|javascript:|data:text", text, re.IGNORECASE)
    for element in ElementTree.fromstring(drawing).iter():
        assert re.search(
            r"\}(?!script|iframe|handler|meta|link|base|form|embed|object)\w+$", str(element.tag), re.IGNORECASE
        )
        assert not [name for name, _ in element.items() if name.rpartition("}")[2].lower().startswith("on")]


@pytest.mark.parametrize("kind", [*HOSTILE, *ENCODED])
def test_nothing_in_a_published_drawing_acts(kind: str) -> None:
    source = HOSTILE[kind].encode() if kind in HOSTILE else ENCODED[kind]
    assert_inert(inert(source))


@pytest.mark.parametrize("kind", PLAIN)
def test_a_drawing_in_which_nothing_acts_is_published_byte_for_byte(kind: str) -> None:
    assert inert(PLAIN[kind].encode()) == PLAIN[kind].encode()


def test_what_is_drawn_stays() -> None:
    kept = inert(HOSTILE["import"].encode()).decode()
    assert "circle" in kept
    assert "fill: red" in kept
    assert b'fill="#06c"' in inert(HOSTILE["onload"].encode())


@given(
    st.lists(
        st.sampled_from([*HOSTILE.values(), *PLAIN.values(), "<g>", "</g>", "&lt;", "]]>", "<![CDATA["]), max_size=5
    )
)
def test_drawings_inside_drawings_are_inert(parts: list[str]) -> None:
    made = inert(svg("".join(parts)).encode())
    assert_inert(made) if made != svg("".join(parts)).encode() else None
    assert inert(made) == made, "there is nothing left to take out"


def test_a_published_folder_holds_inert_drawings(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {**LIBRARY, "bad/one.svg": HOSTILE["script"], "bad/README.md": "# Bad\n"})
    publish(root, tmp_path / "out")
    assert_inert((tmp_path / "out" / "bad" / "one.svg").read_bytes())
    assert (tmp_path / "out" / "guide" / "lens.svg").read_bytes() == (root / "guide" / "lens.svg").read_bytes()


@pytest.mark.skipif(not CHROMIUM, reason="there is no Chromium here: apt-get install chromium")
def test_a_browser_that_opens_them_runs_and_loads_nothing(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    pytest.importorskip("playwright.sync_api", reason="Playwright is not installed: pip install 'pinakes[browser]'")
    asked: list[str] = []
    with request.getfixturevalue("browser").new_context() as context:
        page = context.new_page()
        page.on("request", lambda one: asked.append(one.url) if not one.url.startswith(("file:", "data:")) else None)
        page.on("dialog", lambda one: asked.append(one.message))
        for number, source in enumerate([*map(str.encode, HOSTILE.values()), *ENCODED.values()]):
            file = tmp_path / f"{number}.svg"
            file.write_bytes(inert(source))
            page.goto(file.as_uri())
            page.mouse.click(20, 20)
            page.mouse.move(5, 5)
            assert page.evaluate("document.documentElement.getAttribute('data-owned')") is None, source
        assert asked == []
        for plain in (PLAIN["labels"], PLAIN["gradient"], PLAIN["style"]):
            pictures = []
            for drawing in (plain.encode(), inert(plain.replace("<svg ", '<svg onclick="x()" ').encode())):
                (tmp_path / "shown.svg").write_bytes(drawing)
                page.goto((tmp_path / "shown.svg").as_uri())
                pictures.append(page.screenshot())
            assert pictures[0] == pictures[1], "the same picture"
