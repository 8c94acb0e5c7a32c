"""Recognises sites by the configuration of their generator.

Paths and contents of configuration files enter, `Sites` leave. What is not understood costs the rule of its anchors,
never the documents: without a rule nobody complains about an anchor.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from types import MappingProxyType

from pinakes.parse.fields import TAG, BadFields, Field, Plain, toml_fields, yaml_fields
from pinakes.records.sites import AnchorStyle, Site, Sites, innermost_first

AUTO = "auto"
"""The setting that asks for recognition."""
SIDEBARS = ("sidebars.js", "sidebars.ts", "sidebars.json", "sidebars.mjs", "sidebars.cjs")
"""The files in which Docusaurus lists pages."""
MOST_BYTES = 256_000
"""A larger file is no configuration that a person wrote."""
_VITEPRESS = re.compile(r"(?:(.+)/)?\.vitepress/config(?:/index)?\.[cm]?[jt]s\Z")
_HUGO_KEYS = frozenset(
    ("baseurl", "languagecode", "defaultcontentlanguage", "contentdir", "markup", "theme", "permalinks", "taxonomies")
)
"""Of a file called ``config.toml``, at least two of these make it one of Hugo."""
_FEWEST_HUGO_KEYS = 2
_HUGO_RULES = {"github": "hugo", "github-ascii": "hugo-ascii", "blackfriday": "hugo-blackfriday"}
_SPHINX = re.compile(rb"(?i)\bsphinx|^extensions\s*=|^html_theme\s*=", re.MULTILINE)
_KEEPS_CASE = re.compile(rb"maintainCase\s*:\s*true")


def configurations(paths: Iterable[str]) -> list[str]:
    """The paths that may be configurations of a site, sorted."""
    return sorted([path for path in paths if path.rpartition("/")[2] in FILE_NAMES and _reader(path)])


def recognise(files: Mapping[str, bytes], anchors: str = AUTO) -> Sites:
    """The sites that configuration files describe; with a style in `anchors`, those of that style alone, and the whole
    root where no file describes one."""
    if anchors == AnchorStyle.GITHUB:
        return Sites()
    found = [site for path, data in sorted(files.items()) if (reader := _reader(path)) and (site := reader(path, data))]
    if anchors != AUTO:
        style = AnchorStyle(anchors)
        found = [site for site in found if site.style is style] or [_usual(style)]
    once = {site.folder: site for site in reversed(found)}
    return innermost_first(list(once.values()))


def fields_of(path: str, data: bytes) -> dict[str, Field] | None:
    """What a configuration in YAML, TOML or JSON says; None where it cannot be read."""
    text = data.decode("utf-8", "replace")
    try:
        return toml_fields(text) if path.endswith(".toml") else yaml_fields(text, keeps_tags=True)
    except BadFields:
        return None


def text_of(value: Field) -> str:
    """A scalar as text; empty for what is none."""
    return value.text if isinstance(value, Plain) else value if isinstance(value, str) else ""


def _usual(style: AnchorStyle) -> Site:
    return Site(style, "", "", style.value, style in (AnchorStyle.MKDOCS, AnchorStyle.HUGO))


def _below(config: str, folder: str) -> str | None:
    """A folder named in a configuration, from the root; None where it leaves the root."""
    path = posixpath.normpath(posixpath.join(posixpath.dirname(config), folder.lstrip("/")))
    return None if path.startswith("..") else "" if path == "." else path


def _mkdocs(path: str, data: bytes) -> Site | None:
    fields = fields_of(path, data)
    rule = "" if fields is None else _toc_rule(fields)
    fields = fields or {}
    folder = _below(path, text_of(fields.get("docs_dir")) or "docs")
    is_flat = _is(fields.get("use_directory_urls"), meaning=False)
    return None if folder is None else Site(AnchorStyle.MKDOCS, folder, path, rule, not is_flat)


def _toc_rule(fields: Mapping[str, Field]) -> str:
    """How the table of contents makes ids; empty for a function that is not known here."""
    toc = _extension(fields.get("markdown_extensions"), "toc")
    if "INHERIT" in fields or text_of(toc.get("separator")) not in ("", "-"):
        return ""
    slugify = toc.get("slugify")
    if slugify is None:
        return "mkdocs"
    options = slugify.get("kwds") if isinstance(slugify, dict) else None
    case = text_of(options.get("case")) if isinstance(options, dict) else ""
    name = text_of(slugify.get(TAG)) if isinstance(slugify, dict) else text_of(slugify)
    return _SLUGIFY.get((name.rpartition(":")[2], case), "")


_SLUGIFY = {
    ("markdown.extensions.toc.slugify", ""): "mkdocs",
    ("markdown.extensions.toc.slugify_unicode", ""): "mkdocs-unicode",
    ("pymdownx.slugs.slugify", ""): "pymdownx-cased",
    ("pymdownx.slugs.slugify", "none"): "pymdownx-cased",
    ("pymdownx.slugs.slugify", "lower"): "pymdownx-lower",
    ("pymdownx.slugs.uslugify", ""): "pymdownx-lower",
    ("pymdownx.slugs.uslugify_cased", ""): "pymdownx-cased",
}
"""The rule for each function and the case it is told to make."""


def _extension(listed: Field, name: str) -> dict[str, Field]:
    """The options of an extension, which stands in a list or in a mapping."""
    for entry in listed if isinstance(listed, list) else [listed]:
        if isinstance(entry, dict) and isinstance(options := entry.get(name), dict):
            return options
    return {}


def _hugo(path: str, data: bytes) -> Site | None:
    read = fields_of(path, data)
    fields = {key.lower(): value for key, value in (read or {}).items()}
    if not path.rpartition("/")[2].startswith("hugo.") and len(_HUGO_KEYS & fields.keys()) < _FEWEST_HUGO_KEYS:
        return None
    home = path.removesuffix(path.rpartition("/")[2]).removesuffix("config/_default/") + "x"
    folder = _below(home, text_of(fields.get("contentdir")) or "content")
    parser = _inside(_inside(_inside(fields, "markup"), "goldmark"), "parser")
    kind = text_of(parser.get("autoheadingidtype")) or "github"
    has_none = read is None or _is(parser.get("autoheadingid"), meaning=False)
    rule = "" if has_none else _HUGO_RULES.get(kind, "")
    is_flat = _is(fields.get("uglyurls"), meaning=True)
    return None if folder is None else Site(AnchorStyle.HUGO, folder, path, rule, not is_flat)


def _inside(fields: Mapping[str, Field], name: str) -> dict[str, Field]:
    """A table in a configuration whose keys have no case."""
    table = fields.get(name)
    return {key.lower(): value for key, value in table.items()} if isinstance(table, dict) else {}


def _is(value: Field, *, meaning: bool) -> bool:
    """Whether a switch says so; YAML's are kept as written."""
    return (value.meaning if isinstance(value, Plain) else value) is meaning


def _docusaurus(path: str, data: bytes) -> Site:
    rule = "" if _KEEPS_CASE.search(data) else "docusaurus"
    return Site(AnchorStyle.DOCUSAURUS, posixpath.dirname(path), path, rule)


def _vitepress(path: str, data: bytes) -> Site | None:
    found = _VITEPRESS.match(path)
    return found and Site(AnchorStyle.VITEPRESS, found[1] or "", path, "" if b"slugify" in data else "vitepress")


def _sphinx(path: str, data: bytes) -> Site | None:
    return Site(AnchorStyle.SPHINX, posixpath.dirname(path), path, "sphinx") if _SPHINX.search(data) else None


_Reader = Callable[[str, bytes], Site | None]
_SCRIPTS = ("js", "ts", "mjs", "mts", "cjs", "cts")
_READERS: Mapping[str, _Reader] = MappingProxyType(
    {
        **dict.fromkeys(("mkdocs.yml", "mkdocs.yaml"), _mkdocs),
        **{f"{stem}.{ending}": _hugo for stem in ("hugo", "config") for ending in ("toml", "yaml", "yml", "json")},
        **{f"docusaurus.config.{ending}": _docusaurus for ending in _SCRIPTS},
        "conf.py": _sphinx,
    }
)
"""Who reads a file of this name."""
FILE_NAMES = frozenset((*_READERS, *[f"{stem}.{ending}" for stem in ("config", "index") for ending in _SCRIPTS]))
"""What configurations are called; some of these names are common, and the folder decides."""


def _reader(path: str) -> _Reader | None:
    return _READERS.get(path.rpartition("/")[2]) or (_vitepress if _VITEPRESS.match(path) else None)
