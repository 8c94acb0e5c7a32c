"""What a map looks like, line by line."""

from __future__ import annotations

import pytest
from hypothesis import given
from msgspec.structs import replace

from outline.outlines import heading, outline, random_outlines
from pinakes.outline import MapRequest, draw_map
from pinakes.records import Kind, Outline, Section, Shape, Span, formats

CONTEXT = outline(
    "specs/context.md",
    [
        heading(1, "Context & History", lines=280),
        heading(2, "ContextManager", lines=85, keywords=["FileContext", "token budget", "shed"], shapes=[Shape.CODE]),
        heading(
            2, "History Compaction", lines=120, keywords=["trigger threshold", "verbatim window"], shapes=[Shape.CODE]
        ),
        heading(3, "Topic Detection", lines=45, keywords=["boundary", "confidence score"]),
    ],
    kind=Kind.SPEC,
    cited=[5, 0, 3, 2],
    references=[
        (0, "specs/prompt_assembly.md#order"),
        (2, "src/context.py"),
        (4, "specs/cache_tiering.md#history-compaction-interaction"),
    ],
)


def body(*outlines: Outline) -> str:
    """The lines of a map below its legend."""
    drawn = draw_map(outlines, {}, MapRequest())
    return "\n".join(line for line in drawn.text().split("\n") if line and line not in (drawn.legend, *drawn.aliases))


def test_a_document_prints_as_the_format_says() -> None:
    assert (
        body(CONTEXT)
        == """\
specs/
  context.md [spec] ←5
    # Context & History ~280ln
      ## ContextManager (FileContext, token budget, shed) [code] ~85ln ←3
        → src/context.py
      ## History Compaction (trigger threshold, verbatim window) [code] ~120ln ←2
        ### Topic Detection (boundary, confidence score) ~45ln
          → cache_tiering.md#history-compaction-interaction
    links: prompt_assembly.md"""
    )


def test_the_legend_comes_first_and_explains_only_the_signs_in_use() -> None:
    assert draw_map([CONTEXT], {}, MapRequest()).text().splitlines()[0] == (
        "legend: [kind or contents]; (keywords); ~Nln lines; ←N sections elsewhere link here; "
        "→ links to (no slash: same folder, else from the root); links: other documents linked"
    )
    assert draw_map([outline("a.md", [heading(1, "A")])], {}, MapRequest()).text() == "a.md\n  # A"


def test_indentation_follows_nesting_and_not_level() -> None:
    assert body(outline("a.md", [heading(2, "Two"), heading(6, "Six"), heading(1, "One")])) == (
        "a.md\n  ## Two\n    ###### Six\n  # One"
    )


@pytest.mark.parametrize(("lines", "shown"), [(4, "a.md\n  # A"), (5, "a.md\n  # A ~5ln")])
def test_sizes_show_from_five_lines_on(lines: int, shown: str) -> None:
    assert body(outline("a.md", [heading(1, "A", lines=lines)])) == shown


def test_a_file_without_headings_says_its_size_and_what_it_is_about() -> None:
    root = Section("", "", 0, -1, Span(0, 900), Span(0, 40), keywords=("groceries", "deadlines"))
    assert body(outline("todo.txt", root=root, kind=Kind.NOTES)) == "todo.txt (groceries, deadlines) [notes] ~40ln"
    shaped = replace(root, keywords=(), shapes=(Shape.TABLE, Shape.CODE))
    assert body(outline("todo.md", root=shaped, kind=Kind.NOTES)) == "todo.md [notes] [table, code] ~40ln"
    assert body(outline("todo.md", [heading(1, "A")], root=shaped)) == "todo.md\n  # A"


def test_a_drawing_prints_its_labels() -> None:
    root = Section("", "", 0, -1, Span(0, 900), Span(0, 1), keywords=("Client",))
    drawing = outline("flow.svg", [heading(1, "Login flow", keywords=["Browser", "Token"])], root=root)
    assert body(replace(drawing, media=formats.SVG)) == "flow.svg (Client)\n  # Login flow (Browser, Token)"


def test_targets_are_bare_in_the_same_folder_and_marked_in_the_root() -> None:
    targets = ["docs/b.md#x", "c.md", "docs/deep/d.md", "other/e.py", "@types/f.md"]
    page = outline("docs/a.md", [heading(1, "A")], references=[(1, target) for target in targets])
    assert [line.strip() for line in body(page).splitlines()[3:]] == [
        "→ b.md#x",
        "→ /c.md",
        "→ docs/deep/d.md",
        "→ other/e.py",
        "→ /@types/f.md",
    ]


def test_links_names_each_document_once_and_only_those_no_arrow_shows() -> None:
    page = outline(
        "a.md", [heading(1, "A")], references=[(0, "b.md#x"), (0, "b.md#y"), (0, "c.md"), (0, "a.md#a"), (1, "c.md#z")]
    )
    assert body(page) == "a.md\n  # A\n    → c.md#z\n  links: b.md"


def test_words_of_documents_stay_on_their_line_and_show_all_they_hold() -> None:
    page = outline("a\u202e.md", [heading(1, "One\nTwo \x1b[31mred\u200b\u202e", keywords=["k\x07", "\u200d"])])
    assert body(page) == "a%E2%80%AE.md\n  # One Two [31mred (k)"


def test_an_absurdly_long_title_is_cut() -> None:
    (line,) = body(outline("a.md", [heading(1, "x" * 5000)])).splitlines()[1:]
    assert len(line) < 140
    assert line.endswith("…")


def test_a_summary_stands_under_its_heading_and_sizes_in_tokens_beside_lines() -> None:
    page = outline("a.md", [heading(1, "A", lines=30), heading(2, "B", lines=20)])
    drawn = draw_map(
        [page],
        {},
        MapRequest(summary=True, tokens=True),
        {"a.md": ("", "What A is.", "")},
        {"a.md": (0, 100, 812)},
    )
    assert drawn.blocks[0].text == "a.md\n  # A ~30ln ~910tok\n    > What A is.\n    ## B ~20ln ~810tok"


def test_files_of_a_folder_come_before_the_folders_in_it() -> None:
    pages = [outline(path) for path in ("b/z.md", "b/a/y.md", "a.md", "b-c/x.md", "b.md")]
    assert body(*pages).splitlines() == ["a.md", "b.md", "b/", "  z.md", "  a/", "    y.md", "b-c/", "  x.md"]


def test_folders_that_hold_one_folder_alone_share_a_line() -> None:
    pages = [outline(path) for path in ("content/docs/api/a.md", "content/docs/api/v2/b.md", "content/docs/cli/c.md")]
    assert body(*pages).splitlines() == [
        "content/docs/",
        "  api/",
        "    a.md",
        "    v2/",
        "      b.md",
        "  cli/",
        "    c.md",
    ]


def test_a_title_that_no_heading_says_stands_beside_the_name() -> None:
    page = replace(outline("a.md", [heading(2, "Setup")]), title="Getting started")
    assert body(page) == "a.md — Getting started\n  ## Setup"
    assert body(outline("a.md", [heading(1, "Getting started")])) == "a.md\n  # Getting started"


def test_very_deep_folders_do_not_grow_with_the_square_of_their_depth() -> None:
    pages = [outline("/".join("d" * depth) + "/a.md") for depth in range(1, 400)]
    assert len(body(*pages)) < 400 * 400 * 3
    assert max(len(line) - len(line.lstrip()) for line in body(*pages).splitlines()) <= 24


def test_a_very_deep_drawing_does_not_grow_with_the_square_of_its_depth() -> None:
    page = outline("deep.svg", [heading(level, "G") for level in range(1, 3000)])
    assert len(body(page)) < 3000 * 40


def test_the_state_is_said_at_the_end() -> None:
    drawn = draw_map([outline("a.md")], {}, MapRequest(), state="keywords: 3 documents to go")
    assert drawn.text() == "a.md\nkeywords: 3 documents to go"


def test_no_documents_make_an_empty_map() -> None:
    assert draw_map([], {}, MapRequest()).text() == ""
    assert draw_map([], {}, MapRequest(100)).text() == ""


@given(random_outlines())
def test_equal_input_gives_equal_bytes_in_any_order(outlines: list[Outline]) -> None:
    for budget in (0, 60, 400):
        request = MapRequest(budget)
        assert draw_map(outlines, {}, request) == draw_map(outlines[::-1], {}, request)


@given(random_outlines())
def test_every_line_is_one_line_of_printable_text(outlines: list[Outline]) -> None:
    drawn = draw_map(outlines, {}, MapRequest())
    headings = sum(len(page.sections) for page in outlines)
    arrows = drawn.text().count("→ ") + drawn.text().count("  links: ")
    assert len(body(*outlines).splitlines()) <= headings + arrows + len(drawn.folders)
    assert not any(ord(letter) < 32 for line in drawn.text().split("\n") for letter in line)
    drawn.text().encode()
