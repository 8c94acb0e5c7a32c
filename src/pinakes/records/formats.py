"""The formats of documents: one row for each, with every fact of it that a room goes by.

A new format is a parser in ``parse/`` and a row here. No other room asks which format a document has; each asks for the
fact that it needs.
"""

from __future__ import annotations

import re
import shlex
from enum import StrEnum
from functools import cache
from importlib.util import find_spec

from msgspec import Struct

TELLING = 4_096
"""How many bytes at the beginning and at the end of a file tell whether it is a document."""


class Layout(StrEnum):
    """How the text of a document lies in its source."""

    SECTIONS = "sections"
    """Text under headings."""
    PLAIN = "plain"
    """Text without headings; the whole of it is one section."""
    DRAWING = "drawing"
    """Labels in markup. The labels are the text; a slice of the source says nothing."""
    COMMIT = "commit"
    """A message and the differences of files, which `Metadata.extra` lists. The path is a hash, not words."""
    CODE = "code"
    """Source code: sections are symbols, and some text may belong to none of them but the file."""


class ProgrammingLanguage(Struct, frozen=True):
    """The facts of a programming language that rooms besides its parser go by."""

    grammar: str
    """The package that reads it."""
    folder_stems: tuple[str, ...] = ()
    """Files without their ending that imports call by their folder, as ``__init__``; ``*`` for all files."""
    keeps_ending: bool = False
    """Whether imports name files with their endings, as in C."""


class Media(Struct, frozen=True, eq=False):
    """A format. There is one object for each, also after unpickling, so `is` compares them."""

    name: str
    """As stored and as shown."""
    parser: str = "pinakes.parse.plain:parse_plain"
    """Module and function, imported when the first document of the format is read."""
    endings: tuple[str, ...] = ()
    """Of file names, in lower case, without the dot."""
    names: tuple[str, ...] = ()
    """Whole file names without an ending, in lower case."""
    mime_type: str = "text/plain"
    layout: Layout = Layout.SECTIONS
    is_document: bool = True
    """Whether it is read at all."""
    is_prose: bool = True
    """Whether people write it to be read: it may be the index of its folder, and its statements can be compared."""
    is_linkable: bool = True
    """Whether readers come to it by following links: without any it is an orphan."""
    has_title: bool = True
    """Whether people call the document by its title. Titles that were made from a first line or label are not used."""
    is_markdown: bool = False
    """Whether its text is Markdown: pages render it, and search passes over the markup."""
    is_converted: bool = False
    """Whether its text is made from the file: positions are those of the text, and nothing can be written back."""
    telling: str = ""
    """A pattern that the first or the last `TELLING` bytes of a file hold. Where there is one, the ending alone makes
    no document: other programs use it for other files."""
    is_page: bool = False
    """Whether a browser opens the file as a page, in which scripts would run."""
    converter: str = ""
    """Module and function that make the text of it, in a process of their own; only for `parse_guarded`."""
    requires: tuple[str, ...] = ()
    """Packages without which no file is of this format."""
    extra: str = ""
    """What brings them: the name of our extra."""
    code: ProgrammingLanguage | None = None
    """What else is known of a format of source code, which only the corpus of code reads."""

    def is_told_by(self, data: bytes) -> bool:
        """Whether a file whose name allows this format is of it."""
        return not self.telling or _compiled(self.telling).search(data[:TELLING] + b"\n" + data[-TELLING:]) is not None

    @property
    def is_available(self) -> bool:
        """Whether what it requires is installed."""
        return all(map(_is_installed, self.requires))

    def __reduce__(self) -> tuple[object, ...]:
        return format_named, (self.name,)


@cache
def _is_installed(package: str) -> bool:
    return find_spec(package) is not None


@cache
def _compiled(pattern: str) -> re.Pattern[bytes]:
    return re.compile(pattern.encode())


FORMATS: dict[str, Media] = {}
"""Every format by its name."""
_BY_ENDING: dict[str, Media] = {}
_BY_NAME: dict[str, Media] = {}
_BY_CONTENT: dict[str, Media] = {}
_CODE_BY_ENDING: dict[str, Media] = {}


def add_format(row: Media) -> Media:
    """Make a format known. Its endings and names mean this format from now on."""
    FORMATS[row.name] = row
    by_ending = _CODE_BY_ENDING if row.code else _BY_CONTENT if row.telling else _BY_ENDING
    by_ending.update(dict.fromkeys(row.endings, row))
    _BY_NAME.update(dict.fromkeys(row.names, row))
    return row


def format_named(name: str) -> Media:
    """The format with this name; raises `KeyError` for one that is not known."""
    return FORMATS[name]


def media_of(name: str) -> Media:
    """The format of a document, by its name alone; source code, hidden files and unknown endings are assets.

    So is what only its content makes a document; see `possible_media_of`.
    """
    _, dot, ending = name.rpartition(".")
    if not dot:
        return _BY_NAME.get(name.lower(), ASSET)
    media = _BY_ENDING.get(ending) or _BY_ENDING.get(ending.lower())
    return media if media is not None and name[0] != "." and (not media.requires or media.is_available) else ASSET


def possible_media_of(name: str) -> Media:
    """The format that a file with this name has if it is a document at all, which its content may have to tell."""
    media = media_of(name)
    _, dot, ending = name.rpartition(".")
    is_unknown = dot and name[0] != "." and not media.is_document
    return _BY_CONTENT.get(ending.lower(), ASSET) if is_unknown else media


def code_media_of(name: str) -> Media:
    """The language of a file of source code, by its name alone; everything else, documents too, is an asset."""
    _, dot, ending = name.rpartition(".")
    media = _CODE_BY_ENDING.get(ending) or _CODE_BY_ENDING.get(ending.lower())
    return media if dot and media is not None and name[0] != "." else ASSET


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
ASSET = add_format(
    Media("asset", layout=Layout.PLAIN, is_document=False, is_prose=False, is_linkable=False, has_title=False)
)
"""Anything else: links may point at it, but it is never read."""


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
    media = _BY_ENDING.get(ending.lower())
    if media is not None and stem and not media.is_available:
        return f"Pinakes reads it with pip install 'pinakes[{media.extra}]'"
    command = _CONVERTERS.get(ending.lower())
    if not command or not stem or not name.isprintable():
        return ""
    return f"Convert it first: {command.format(file=shlex.quote(name), page=shlex.quote(stem + '.md'))}"
