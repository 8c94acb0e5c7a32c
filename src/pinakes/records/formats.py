"""The formats of documents: one row for each, with every fact of it that a room goes by.

A new format is a parser in ``parse/`` and a row here. No other room asks which format a document has; each asks for the
fact that it needs.
"""

from __future__ import annotations

import shlex

from pinakes.records.media import (
    ASSET,
    FORMATS,
    TELLING,
    Layout,
    Media,
    ProgrammingLanguage,
    add_format,
    code_media_of,
    format_named,
    format_of_ending,
    media_of,
    possible_media_of,
)

__all__ = [
    "ASSET",
    "FORMATS",
    "TELLING",
    "Media",
    "add_format",
    "code_media_of",
    "format_named",
    "how_to_convert",
    "media_of",
    "possible_media_of",
]

MARKDOWN = add_format(
    Media(
        "markdown",
        "pinakes.parse.markdown:parse_markdown",
        ("md", "markdown", "mdx"),
        mime_type="text/markdown",
        is_markdown=True,
    )
)
RST = add_format(Media("rst", "pinakes.parse.rst:parse_rst", ("rst",), mime_type="text/x-rst"))
ASCIIDOC = add_format(
    Media("asciidoc", "pinakes.parse.asciidoc:parse_asciidoc", ("adoc", "asciidoc"), mime_type="text/asciidoc")
)
ORG = add_format(Media("org", "pinakes.parse.org:parse_org", ("org",), mime_type="text/org"))
TEXT = add_format(
    Media(
        "text",
        endings=("txt",),
        names=("readme", "license", "changelog"),
        layout=Layout.PLAIN,
        is_linkable=False,  # often read by machines, as robots.txt is
        has_title=False,
    )
)
NOTEBOOK = add_format(
    Media(
        "notebook",
        "pinakes.parse.notebook:parse_notebook",
        ("ipynb",),
        mime_type="application/x-ipynb+json",
        is_markdown=True,
        is_converted=True,
    )
)
CELLS = add_format(
    Media(
        "cells",
        "pinakes.parse.cells:parse_cells",
        ("csv", "tsv"),
        mime_type="text/csv",
        is_prose=False,
        is_linkable=False,
        has_title=False,
        is_markdown=True,
        is_converted=True,
    )
)
MANUAL = add_format(
    Media(
        "manual",
        "pinakes.parse.manual:parse_manual",
        tuple("123456789"),
        mime_type="text/troff",
        is_converted=True,
        telling=r"(?m)^[.'][ \t]*(?:TH|Dd)[ \t]+\S",
    )
)
HELP = add_format(
    Media("help", "pinakes.parse.help_text:parse_help", ("help", "usage"), telling=r"(?mi)^usage:[ \t]*(?:\S|\r?$)")
)
OPENAPI = add_format(
    Media(
        "openapi",
        "pinakes.parse.openapi:parse_openapi",
        ("yaml", "yml", "json"),
        mime_type="application/openapi+yaml",
        is_markdown=True,
        is_converted=True,
        telling=(
            r"(?m)(?:^(?:openapi|swagger)[ \t]*:|(?:^|[{,])\s{0,40}\"(?:openapi|swagger)\"\s{0,40}:)"
            r"\s{0,40}[\"']?[23]\.\d"
        ),
    )
)
SVG = add_format(
    Media(
        "svg",
        "pinakes.parse.svg:parse_svg",
        ("svg",),
        mime_type="image/svg+xml",
        layout=Layout.DRAWING,
        is_prose=False,
        is_linkable=False,
        has_title=False,
    )
)


def _guarded(name: str, *endings: str, mime_type: str, converter: str, requires: tuple[str, ...], extra: str) -> Media:
    return add_format(
        Media(
            name,
            "pinakes.parse.guarded:parse_guarded",
            endings,
            mime_type=mime_type,
            is_linkable=False,  # people find such files in folders
            is_markdown=True,
            is_converted=True,
            is_page=mime_type == "text/html",
            converter=f"pinakes.conversion.{converter}",
            requires=requires,
            extra=extra,
        )
    )


_OPEN_XML = "application/vnd.openxmlformats-officedocument"
HTML = _guarded(
    *("html", "html", "htm", "xhtml"),
    mime_type="text/html",
    converter="page:page_text",
    requires=("html_to_markdown",),
    extra="add",
)
_guarded(
    *("pdf", "pdf"),
    mime_type="application/pdf",
    converter="pdf:pdf_text",
    requires=("pypdfium2",),
    extra="office",
)
_guarded(
    *("word", "docx"),
    mime_type=f"{_OPEN_XML}.wordprocessingml.document",
    converter="office:word_text",
    requires=("markitdown", "mammoth"),
    extra="office",
)
_guarded(
    *("slides", "pptx"),
    mime_type=f"{_OPEN_XML}.presentationml.presentation",
    converter="office:slides_text",
    requires=("markitdown", "pptx"),
    extra="office",
)
_guarded(
    *("sheets", "xlsx"),
    mime_type=f"{_OPEN_XML}.spreadsheetml.sheet",
    converter="office:sheets_text",
    requires=("markitdown", "openpyxl"),
    extra="office",
)
_guarded(
    *("epub", "epub"),
    mime_type="application/epub+zip",
    converter="epub:epub_text",
    requires=("html_to_markdown", "markitdown"),
    extra="office",
)
_guarded(
    *("opendocument", "odt"),
    mime_type="application/vnd.oasis.opendocument.text",
    converter="odt:odt_text",
    requires=("markitdown",),
    extra="office",
)
COMMIT = add_format(
    Media(
        "commit",
        "pinakes.parse.commit:parse_commit",
        layout=Layout.COMMIT,
        is_prose=False,
        is_linkable=False,
        has_title=False,
    )
)
"""What git says of a commit; no file is one."""


def _language(name: str, *endings: str, mime_type: str, code: ProgrammingLanguage) -> Media:
    return add_format(
        Media(
            name,
            "pinakes.parse.code:parse_code",
            endings,
            mime_type=mime_type,
            layout=Layout.CODE,
            is_prose=False,
            is_linkable=False,
            has_title=False,
            code=code,
        )
    )


_INDEX_FILES = ("index",)
_language(
    "python", "py", "pyi", mime_type="text/x-python", code=ProgrammingLanguage("tree_sitter_python", ("__init__",))
)
_language(
    "javascript",
    *("js", "jsx", "mjs", "cjs"),
    mime_type="text/javascript",
    code=ProgrammingLanguage("tree_sitter_javascript", _INDEX_FILES),
)
_language(
    "typescript",
    *("ts", "mts", "cts"),
    mime_type="text/x-typescript",
    code=ProgrammingLanguage("tree_sitter_typescript", _INDEX_FILES),
)
_language("tsx", "tsx", mime_type="text/x-typescript", code=ProgrammingLanguage("tree_sitter_typescript", _INDEX_FILES))
_language("c", "c", mime_type="text/x-c", code=ProgrammingLanguage("tree_sitter_c", keeps_ending=True))
_language(
    "cpp",
    *("cc", "cpp", "cxx", "h", "hh", "hpp", "hxx"),  # a header may be either; what is C is nearly always C++, too
    mime_type="text/x-c++",
    code=ProgrammingLanguage("tree_sitter_cpp", keeps_ending=True),
)
_language("go", "go", mime_type="text/x-go", code=ProgrammingLanguage("tree_sitter_go", ("*",)))
_language("rust", "rs", mime_type="text/x-rust", code=ProgrammingLanguage("tree_sitter_rust", ("mod", "lib", "main")))
_language("java", "java", mime_type="text/x-java", code=ProgrammingLanguage("tree_sitter_java"))

_CONVERTERS = {
    **dict.fromkeys(("doc", "rtf"), "pandoc {file} -t gfm -o {page}"),
    **dict.fromkeys(("ppt", "xls"), "markitdown {file} -o {page}"),
}


def how_to_convert(path: str) -> str:
    """A sentence for a file that is no document as things are: which extra reads it, or which other program makes
    Markdown of it; empty for every other file."""
    name = path.replace("\\", "/").rpartition("/")[2]
    stem, _, ending = name.rpartition(".")
    media = format_of_ending(ending)
    if media is not None and stem and not media.is_available:
        return f"Pinakes reads it with pip install 'pinakes[{media.extra}]'"
    command = _CONVERTERS.get(ending.lower())
    if not command or not stem or not name.isprintable():
        return ""
    return f"Convert it first: {command.format(file=shlex.quote(name), page=shlex.quote(stem + '.md'))}"
