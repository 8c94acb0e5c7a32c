"""Pages for people: what is on them, where their links lead, what is copied, and what a change touches."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import quote, unquote, urldefrag, urljoin

import pytest

from kits.node import NODE
from kits.page import HOSTILE, LIBRARY
from kits.publish import files, publish, times
from kits.trees import write_tree
from pinakes.errors import ConfigError
from pinakes.publish import PublishOptions

VALIDATOR = Path(__file__).resolve().parents[2] / "web" / "node_modules" / "html-validate" / "dist" / "esm" / "index.js"
PNG = b"\x89PNG\r\n\x1a\n" + bytes(40)
SITE = {
    **LIBRARY,
    "guide/deep/oil.md": "# Oil\n\nSee [the lamp](../lamp.md#trimming-the-wick) and ![a cask](img/cask.png).\n",
    "guide/deep/img/cask.png": PNG,
    "guide/table.rst": "Tables\n======\n\nOf tides.\n",
}


class _Found(HTMLParser):
    """The links, ids and elements of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.elements: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.add(tag)
        for name, value in attrs:
            if name in ("href", "src", "action") and value:
                self.links.append(value)
            if name == "id" and value:
                self.ids.add(value)


def found(out: Path) -> dict[str, _Found]:
    return {path: _Found(data.decode()) for path, data in files(out).items() if path.endswith(".html")}


def dead_links(out: Path) -> list[str]:
    """Links of pages that lead to no file, or to no element."""
    pages, there = found(out), files(out)
    dead = []
    for path, page in pages.items():
        for link in page.links:
            if not link.startswith(("https:", "http:", "mailto:", "data:")):
                where, anchor = urldefrag(urljoin(f"http://x/{quote(path)}", link).removeprefix("http://x/"))
                name = unquote(where)
                if name not in there or (anchor and name in pages and unquote(anchor) not in pages[name].ids):
                    dead.append(f"{path}: {link}")
    return dead


def _script_of(path: str) -> str:
    """How a page loads the only script that it may have."""
    return f'<script src="{"../" * path.count("/")}_pages/document.js" defer>'


def text(out: Path, path: str) -> str:
    return (out / path).read_text()


def test_every_document_and_folder_has_a_page_and_every_link_leads_somewhere(tmp_path: Path) -> None:
    root, out = write_tree(tmp_path / "docs", {**SITE, **HOSTILE}), tmp_path / "out"
    done = publish(root, out)
    assert {
        "index.html",
        "notes.html",
        "guide/index.html",
        "guide/lamp.html",
        "guide/table.html",
        "guide/deep/oil.html",
        "spec/signals.html",
        "404.html",
        "robots.txt",
    } <= files(out).keys()
    assert dead_links(out) == []
    assert done.pages == sum(1 for path in found(out) if path != "search/index.html")
    assert publish(root, out).written == ()
    pages = {
        path: page for path, page in found(out).items() if path not in ("search/index.html", "_pages/diagram.html")
    }
    assert not {"iframe", "object", "embed", "style"} & set().union(*(page.elements for page in pages.values()))
    acting = {path for path, page in pages.items() if "script" in page.elements}
    assert acting == {path for path in pages if "<pre" in text(out, path) and 'class="prose"' in text(out, path)}
    assert all(re.findall("<script[^>]*>", text(out, one)) == [_script_of(one)] for one in acting)


def test_a_page_has_navigation_contents_neighbours_backlinks_and_the_source(tmp_path: Path) -> None:
    out = tmp_path / "out"
    publish(write_tree(tmp_path / "docs", SITE), out)
    page = text(out, "guide/lamp.html")
    assert '<a href="fog.html">Fog</a>' in page
    assert '<a href="deep/index.html">deep</a>' in page
    assert '<a href="../spec/index.html">spec</a>' in page
    assert '<a href="lamp.html" aria-current="page">The lamp</a>' in page
    assert '<a href="#trimming-the-wick">Trimming the wick</a>' in page
    assert re.search(r'<a href="fog\.html" rel="prev" class="prev"><small>Previous</small> Fog</a>', page)
    backlinks = page.partition("<h2>Linked from</h2>")[2].partition("</section>")[0]
    assert re.findall(r">([^<]+)</a>", backlinks) == ["Lighthouse", "Fog", "Oil"]
    assert '<a href="lamp.md">guide/lamp.md</a>' in page
    assert '<a href="../lamp.html#trimming-the-wick"' in text(out, "guide/deep/oil.html")
    assert "<h1>deep</h1>" in text(out, "guide/deep/index.html")
    assert '<a href="oil.html">Oil</a>' in text(out, "guide/deep/index.html")
    assert '<h1 id="tables"' in text(out, "guide/table.html")


def test_sections_elsewhere_that_are_near_are_named(tmp_path: Path) -> None:
    about = "The refresh token rotates at every login, and the session ends when the token expires.\n"
    root = write_tree(
        tmp_path / "docs",
        {
            "login.md": f"# Login\n\n{about}",
            "session.md": f"# Session\n\n## Tokens of a session\n\n{about}\nIt is renewed.\n",
            "fish.md": "# Herring\n\nCooks smoke the herring over beech wood until its skin is gold.\n",
        },
    )
    publish(root, tmp_path / "out")
    page = text(tmp_path / "out", "login.html")
    related = page.partition("<h2>Related</h2>")[2].partition("</section>")[0]
    assert '<a href="session.html#tokens-of-a-session">Tokens of a session</a>' in related
    assert "Herring" not in related


def test_files_that_documents_show_are_copied_and_no_others(tmp_path: Path) -> None:
    outside = write_tree(tmp_path / "elsewhere", {"secret.png": PNG})
    root = write_tree(
        tmp_path / "docs",
        {
            "a.md": (
                "# A\n\n![one](img/one.png) [tool](tool.tar) [page](demo.xml) [hidden](.env.png) ![far](far.png)\n\n"
                "[large](large.bin) The key is in `keys/private.pem` and [up](../elsewhere/secret.png).\n"
            ),
            "img/one.png": PNG,
            "img/two.png": PNG,
            "tool.tar": b"tar",
            "demo.xml": "<script>alert(1)</script>",
            ".env.png": PNG,
            "keys/private.pem": "key",
            "large.bin": bytes(3000),
        },
    )
    (root / "far.png").symlink_to(outside / "secret.png")
    out = tmp_path / "out"
    done = publish(root, out, PublishOptions(largest_file=2000))
    there = files(out)
    assert there["img/one.png"] == PNG
    assert there["tool.tar"] == b"tar"
    assert {"img/two.png", "demo.xml", ".env.png", "keys/private.pem", "large.bin", "far.png"} & there.keys() == set()
    held = json.loads(there["files.json"])
    assert [(one["name"], one["bytes"]) for one in held["files"]] == [("img/one.png", len(PNG)), ("tool.tar", 3)]
    reasons = {one["name"]: one["reason"] for one in held["left_out"]}
    assert reasons["demo.xml"] == "A browser or a server would run it."
    assert reasons["large.bin"] == "It has 3,000 bytes; 2,000 are the most."
    assert (done.files, {one.name for one in done.left_out}) == (2, set(reasons))
    assert dead_links(out) == []
    (root / "img/one.png").write_bytes(PNG + b"more")
    assert set(publish(root, out, PublishOptions(largest_file=2000)).written) == {"img/one.png", "files.json"}


@pytest.mark.parametrize(
    "name",
    [
        "demo.xml",
        "old.html.bak",
        "page.html.gz",
        "a.svg.orig",
        "a.svgz",
        "run.php",
        "run.PHP.txt~",
        "web.config",
        "_headers",
    ],
)
def test_what_a_browser_or_a_server_would_run_is_not_copied(tmp_path: Path, name: str) -> None:
    root = write_tree(tmp_path / "docs", {"a.md": f"# A\n\n[this]({name}) [shot](page.html.png)\n", name: "<script>"})
    (root / "page.html.png").write_bytes(PNG)
    publish(root, tmp_path / "out")
    there = files(tmp_path / "out")
    assert name not in there
    assert there["page.html.png"] == PNG
    assert [one["name"] for one in json.loads(there["files.json"])["left_out"]] == [name]


def test_a_document_has_no_name_that_a_server_takes_for_a_page(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", {"a.html.adoc": "= A\n\n<script>\n", "b.html.md": "# B\n"})
    publish(root, tmp_path / "out")
    there = files(tmp_path / "out")
    assert "b.html.md" in there
    assert [one for one in there if one.endswith(".adoc") and ".html." in one] == []
    assert dead_links(tmp_path / "out") == []


def test_a_change_touches_only_the_pages_that_show_it(tmp_path: Path) -> None:
    root, out = write_tree(tmp_path / "docs", SITE), tmp_path / "out"
    publish(root, out)
    before = times(out)
    write_tree(root, {"spec/signals.md": f"{SITE['spec/signals.md']!s}\nThree flashes mean help.\n"})
    publish(root, out)
    changed = {path for path, at in times(out).items() if before.get(path) != at and path.endswith(".html")}
    assert changed == {"spec/signals.html"}
    publish(root, tmp_path / "fresh")
    assert files(out) == files(tmp_path / "fresh")


def test_a_link_that_is_mended_changes_the_page_it_stands_on(tmp_path: Path) -> None:
    root, out = write_tree(tmp_path / "docs", SITE), tmp_path / "out"
    publish(root, out)
    assert 'class="loose"' in text(out, "guide/lamp.html")
    write_tree(root, {"guide/missing.md": "# Found\n"})
    publish(root, out)
    assert '<a href="missing.html"' in text(out, "guide/lamp.html")
    assert dead_links(out) == []


def test_what_the_owner_wrote_for_a_site_is_kept_under_its_name(tmp_path: Path) -> None:
    own = {
        "index.html": "<!doctype html><title>Mine</title>",
        "llms.txt": "# Mine for models\n",
        "robots.txt": "User-agent: *\nDisallow: /\n",
        "404.html": "<!doctype html><title>Gone</title>",
    }
    root, out = write_tree(tmp_path / "docs", {**SITE, **own}), tmp_path / "out"
    done = publish(root, out)
    assert done.kept == ()
    assert {path: text(out, path) for path in ("llms.txt", "robots.txt")} == {
        path: own[path] for path in ("llms.txt", "robots.txt")
    }
    assert "<title>Mine</title>" in text(out, "index.html")
    assert "<title>Gone</title>" in text(out, "404.html")
    assert 'href="README.html"' in text(out, "guide/lamp.html") or (out / "README.html").exists()
    assert json.loads(text(out, "index.json"))["_links"]["llms"]["href"] == "llms.txt"
    assert publish(root, out).written == ()


def test_with_an_address_pages_have_a_canonical_one_and_robots_a_sitemap(tmp_path: Path) -> None:
    root, out = write_tree(tmp_path / "docs", SITE), tmp_path / "out"
    publish(root, out, PublishOptions(base_url="https://example.org/d/"))
    assert '<link rel="canonical" href="https://example.org/d/guide/lamp.html">' in text(out, "guide/lamp.html")
    assert '<link rel="canonical" href="https://example.org/d/">' in text(out, "index.html")
    assert '<link rel="canonical" href="https://example.org/d/guide/">' in text(out, "guide/index.html")
    assert '<link rel="stylesheet" href="../_pages/site.css">' in text(out, "guide/lamp.html")
    assert 'href="https://example.org/d/_pages/site.css"' in text(out, "404.html")
    assert "Sitemap: https://example.org/d/sitemap.xml" in text(out, "robots.txt")
    listed = re.findall(r"<loc>https://example\.org/d/(.*?)</loc>", text(out, "sitemap.xml"))
    assert {"", "guide/", "guide/lamp.html", "guide/deep/oil.html"} <= set(listed)
    assert len(listed) == len(set(listed))
    publish(root, out)
    assert not (out / "sitemap.xml").exists()
    assert "canonical" not in text(out, "index.html")


def test_title_and_logo_stand_on_every_page(tmp_path: Path) -> None:
    root, out = write_tree(tmp_path / "docs", SITE), tmp_path / "out"
    logo = write_tree(tmp_path / "own", {"lamp.svg": HOSTILE["hostile.svg"], "logo.exe": b"MZ"})
    publish(root, out, PublishOptions(title="The <lamp>", logo=str(logo / "lamp.svg")))
    assert "<title>Fog · The &lt;lamp&gt;</title>" in text(out, "guide/fog.html")
    assert '<img src="../_pages/logo.svg" alt="" class="logo">' in text(out, "guide/fog.html")
    assert "script" not in text(out, "_pages/logo.svg")
    assert text(out, "llms.txt").startswith(r"# The \<lamp\>")
    with pytest.raises(ConfigError, match="is no picture"):
        publish(root, out, PublishOptions(logo=str(logo / "logo.exe")))
    with pytest.raises(ConfigError, match="cannot be read"):
        publish(root, out, PublishOptions(logo=str(logo / "none.png")))


def test_without_pages_only_what_programs_read_is_written(tmp_path: Path) -> None:
    root, out = write_tree(tmp_path / "docs", SITE), tmp_path / "out"
    publish(root, out)
    done = publish(root, out, PublishOptions(has_pages=False, has_full_text=False))
    assert (done.pages, done.files) == (0, 0)
    assert [path for path in files(out) if path.endswith(".html")] == ["search/index.html"]
    assert "llms-full.txt" not in files(out)
    assert "llms-full" not in json.loads(text(out, "index.json"))["_links"]


def test_hostile_names_get_pages_that_lead_to_each_other(tmp_path: Path) -> None:
    names = ["a.md", "A.md", "a.rst", "a.txt", "index.md", "INDEX.md", "b.html.md", "sp ace & 100%#?.md", "_pages/x.md"]
    names += [
        "search/a.md",
        "d/index.html.md",
        os.fsdecode(b"latin\xe9.md"),
        "\u202egnp.md",
        "new\nline.md",
        "é" * 120 + ".md",
    ]
    root, out = tmp_path / "docs", tmp_path / "out"
    for number, name in enumerate(names):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(f"# Document {number}\n\nBody {number}, see [it](index.md).\n")
    assert publish(root, out).kept == ()
    assert dead_links(out) == []
    pages = found(out)
    assert len({path.casefold() for path in files(out)}) == len(files(out))
    for number in range(len(names)):
        assert sum(f"Body {number}," in (out / path).read_text() for path in pages) == 1


def test_a_first_view_is_light(tmp_path: Path) -> None:
    out = tmp_path / "out"
    publish(write_tree(tmp_path / "docs", SITE), out)
    style = len((out / "_pages/site.css").read_bytes())
    assert all(style + len((out / path).read_bytes()) < 100_000 for path in found(out))


@pytest.mark.skipif(not NODE or not VALIDATOR.exists(), reason="html-validate is not there: make web brings it")
def test_pages_are_valid_html(tmp_path: Path) -> None:
    out = tmp_path / "out"
    publish(write_tree(tmp_path / "docs", {**SITE, **HOSTILE}), out)
    rules = {"extends": ["html-validate:standard"], "root": True}
    node = shutil.which("node") or str(NODE)
    # The command of html-validate looks for files by what only newer Nodes have.
    script = f"""import {{ HtmlValidate }} from {json.dumps(VALIDATOR.as_uri())};
        const judge = new HtmlValidate({json.dumps(rules)});
        for (const file of process.argv.slice(1)) {{
          const report = await judge.validateFile(file);
          for (const one of report.results.flatMap((result) => result.messages)) {{
            console.log(file, one.ruleId, one.message);
            process.exitCode = 1;
          }}
        }}"""
    command = [node, "--input-type=module", "-e", script, *map(str, sorted(out.rglob("*.html")))]
    done = subprocess.run(command, capture_output=True, text=True, cwd=out)
    assert (done.returncode, done.stdout) == (0, ""), done.stdout + done.stderr


def test_many_pages_are_drawn_by_several_processes_as_by_one_and_name_the_folders_around_them(tmp_path: Path) -> None:
    names = [f"f{number:03}" for number in range(220)]
    documents = {f"{name}/page.md": f"# Page {name}\n\n```python\nprint('{name}')\n```\n" for name in names}
    root, out = write_tree(tmp_path / "docs", {"index.md": "# Start\n", **documents}), tmp_path / "out"
    publish(root, out)
    assert dead_links(out) == []
    for name, before, after in (("f000", "", "120 more"), ("f105", "100 more", "20 more"), ("f219", "200 more", "")):
        navigation = text(out, f"{name}/page.html").partition("<nav")[2].partition("</nav>")[0]
        rows = re.findall(r">([^<>]+)</a>", navigation)
        assert rows[0] == (f"and {before} folders" if before else "f000")
        assert rows[-1] == (f"and {after} folders" if after else "Page f219")
        assert f"Page {name}" in rows and len(rows) <= 103
    listed = text(out, "index.html").partition("<main")[2]
    assert all(f'href="{name}/index.html"' in listed for name in names)
    drawn = (out / "f105/page.html").read_bytes()
    (out / "f105/page.html").unlink()
    assert publish(root, out).written == ("f105/page.html",)
    assert (out / "f105/page.html").read_bytes() == drawn
