"""What a Markdown document holds, shown on small documents."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pinakes.parse import parse
from pinakes.records import Document, Kind, Link, LinkForm, Raw, Ref, Relation, Shape, Span, Stamp, formats

CASES = Path(__file__).parent / "cases"


def document(text: str | bytes, path: str = "guide/page.md") -> Document:
    data = text if isinstance(text, bytes) else text.encode()
    return parse(Raw(Stamp(Ref("docs", path), "1", formats.MARKDOWN), data, "digest"))


def case(name: str) -> Document:
    return document((CASES / name).read_bytes(), name)


def of_form(found: Document, *forms: LinkForm) -> list[Link]:
    return [link for link in found.links if link.form in forms]


def targets(found: Document, *forms: LinkForm) -> list[str]:
    return [link.target for link in of_form(found, *forms)]


def shapes(found: Document) -> dict[str, tuple[Shape, ...]]:
    return {section.anchor: section.shapes for section in found.sections if section.shapes}


def test_a_document_without_headings_is_one_root_section() -> None:
    found = document("just text\nin two lines")
    (root,) = found.sections
    assert (root.level, root.parent, root.anchor, root.title) == (0, -1, "", "")
    assert (root.span, root.lines) == (Span(0, 22), Span(0, 2))
    assert found.title == "page.md"
    assert found.kind is Kind.GUIDE


def test_an_empty_document_has_a_root_too() -> None:
    (root,) = document("").sections
    assert (root.span, root.lines) == (Span(0, 0), Span(0, 0))


def test_sections_end_where_a_heading_of_their_level_or_above_begins() -> None:
    text = "intro\n# A\na\n### B\nb\n## C\nc\n# D\nd\n"
    found = document(text)
    spans = {section.title: found.text(section.span) for section in found.sections}
    assert spans == {
        "": text,
        "A": "# A\na\n### B\nb\n## C\nc\n",
        "B": "### B\nb\n",
        "C": "## C\nc\n",
        "D": "# D\nd\n",
    }
    assert [section.parent for section in found.sections] == [-1, 0, 1, 1, 0]
    assert [found.text(found.own(position)) for position in range(3)] == ["intro\n", "# A\na\n", "### B\nb\n"]
    assert [section.lines for section in found.sections[1:3]] == [Span(1, 7), Span(3, 5)]


def test_the_title_is_the_first_top_heading_or_else_the_first_heading() -> None:
    assert document("## Small\n# Big\n").title == "Big"
    assert document("## Small\n### Smaller\n").title == "Small"
    assert document("---\ntitle: Given\n---\n# Big\n").title == "Given"
    assert document("# \n", "folder/na\udcffme.md").title == "na\ufffdme.md"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("## One\n\n## Two\n\n## Three\n\n# Late", "One"),
        ("## [2.11.0] - 2025\n\n## 2.10.9", "page.md"),
        ("# Unreleased\n\n# v1.0", "page.md"),
        ('---\ntitle: "About {% data variables.product.prodname_copilot %}"\n---\n\nText', "About copilot"),
        ('# {{% heading "whatsnext" %}}', "whatsnext"),
    ],
)
def test_a_title_is_what_a_reader_takes_for_it(text: str, title: str) -> None:
    assert document(text, "page.md").title == title


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_kind_of_line_end_counts(end: str) -> None:
    found = document(
        end.join(["---", "title: T", "---", "# A", "", "[x](y)", "## B", "", "text\u2028more\x0bmore", ""])
    )
    assert found.metadata.title == "T"
    assert [(section.title, section.lines) for section in found.sections[1:]] == [("A", Span(3, 9)), ("B", Span(6, 9))]
    assert [link.line for link in found.links] == [5]


def test_a_byte_order_mark_is_not_text() -> None:
    found = document(b"\xef\xbb\xbf---\ntitle: T\n---\n# A\n")
    assert found.source.startswith(b"\xef\xbb\xbf")
    assert (found.title, found.sections[0].span.start, found.sections[1].title) == ("T", 3, "A")


def test_text_that_is_not_utf_8_is_read_and_reported() -> None:
    broken = document(b"# caf\xe9\n")
    assert (broken.sections[1].title, broken.sections[1].anchor) == ("café", "café")
    wide = document("# hé\n".encode("utf-16"))
    assert (wide.sections[1].title, wide.source) == ("hé", "# hé\n".encode())
    holes = document(b"# a\x00b\n")
    assert holes.sections[1].title == "a\ufffdb"
    assert [len(each.warnings) for each in (broken, wide, holes)] == [1, 1, 1]


def test_anchors_are_unique_and_other_ids_lead_to_their_section() -> None:
    found = case("anchors.md")
    assert [(section.level, section.title, section.anchor, section.aliases) for section in found.sections[1:]] == [
        (1, "Title", "title", ("custom",)),
        (2, "Repeated", "repeated", ("before",)),
        (2, "Repeated", "repeated-1", ("named", "second", "inside")),
        (3, "Kramdown", "kramdown", ("kram",)),
        (3, "!!!", "-0", ()),
        (3, "???", "-1", ()),
        (2, "Quoted", "quoted", ()),
        (2, "In a list", "in-a-list", ()),
        (2, "Setext\nover two lines", "setextover-two-lines", ()),
    ]


def test_an_alias_never_hides_an_anchor() -> None:
    found = document("# One {#two}\n# Two {#two-b}\n# Three {#two-b}\n")
    assert [section.aliases for section in found.sections] == [(), (), ("two-b",), ()]


def test_bare_addresses_are_links_and_code_is_not() -> None:
    assert targets(case("prose.md"), LinkForm.LINK) == [
        "https://a.example/b_c_d?e=f&g",
        "http://www.example.org/x",
        "https://b.example/y_(z)",
        "mailto:me@example.org",
        "d.md",
    ]


def test_words_that_could_be_files_are_path_candidates() -> None:
    expected = ["src/auth.py", "./docs/flow.svg", "src/my_auth.py", "README.md", "./x/y.toml"]
    assert targets(case("prose.md"), LinkForm.PATH) == expected


def test_inline_tags_are_words_after_a_hash() -> None:
    assert case("prose.md").tags == ("nested/topic", "topic", "日本語")


def test_shapes_say_what_a_section_contains() -> None:
    assert shapes(case("prose.md")) == {
        "formulas": (Shape.FORMULA,),
        "displayed": (Shape.FORMULA,),
        "a-fence-of-math": (Shape.CODE, Shape.FORMULA),
        "drawings": (Shape.DIAGRAM,),
        "a-table": (Shape.TABLE,),
        "mermaid": (Shape.CODE, Shape.DIAGRAM),
    }


def test_wikilinks_embeds_and_block_ids_are_read_as_a_vault_writes_them() -> None:
    found = case("vault.md")
    assert [(link.form.value, link.target, link.text) for link in found.links] == [
        ("frontmatter", "Other note", "the other"),
        ("frontmatter", "guide/setup.md", "guide/setup.md"),
        ("frontmatter", "deep/page.md#part", "Deep"),
        ("wikilink", "Note", "Note"),
        ("wikilink", "Note#Heading", "alias"),
        ("wikilink", "Note#^block", "Note#^block"),
        ("wikilink", "folder/Note^old", "folder/Note^old"),
        ("embed", "drawing.svg", "drawing.svg"),
        ("wikilink", "Note", "in a table"),
        ("link", "b.md", "[a]"),
    ]
    assert [link.ordinal for link in found.links] == list(range(10))
    assert found.sections[0].aliases == ("^intro",)
    assert found.sections[1].aliases == ("^point-1",)
    assert (found.metadata.aliases, found.tags) == (("Vault", "Home"), ("garden", "seed"))
    assert found.sections[0].shapes == (Shape.TABLE, Shape.CODE, Shape.DIAGRAM)


def test_the_heading_above_a_link_says_what_the_link_means() -> None:
    assert [(link.target, link.relation) for link in case("relations.md").links] == [
        ("usual.md", Relation.LINKS_TO),
        ("../src/a.py", Relation.IMPLEMENTS),
        ("../src/b.py", Relation.IMPLEMENTS),
        ("../tests/a.py", Relation.TESTS),
        ("other.md", Relation.RELATED),
        ("html.md", Relation.RELATED),
        ("pic.png", Relation.RELATED),
        ("pic2.png", Relation.RELATED),
        ("pic3.png", Relation.RELATED),
        ("topic.md", Relation.RELATED),
        ("plain.md", Relation.LINKS_TO),
    ]


def test_links_of_a_test_document_are_tests() -> None:
    text = "[a](a.md)\n\n## See also\n\n[b](b.md)\n"
    relations = [link.relation for link in document(text, "tests/login.md").links]
    assert relations == [Relation.TESTS, Relation.RELATED]
    assert document(text, "contests/login.md").links[0].relation is Relation.LINKS_TO


def test_html_links_have_the_text_a_reader_sees() -> None:
    links = of_form(case("relations.md"), LinkForm.HTML)
    assert [link.text for link in links] == ["an HTML link", "a picture", "a picture", "a picture"]


def test_html_in_comments_and_scripts_is_not_read() -> None:
    found = document(
        '<!-- <a href="a.md" id="x"> -->\n\n<script>\n"<a href=\'b.md\'>"\n</script>\n\n`<a href="c.md">`\n'
    )
    assert (found.links, found.sections[0].aliases) == ((), ())


def test_mdx_modules_and_components_are_not_prose() -> None:
    found = case("page.mdx")
    assert [(section.title, section.level) for section in found.sections[1:]] == [
        ("MDX page", 1),
        ("Inside tabs", 2),
        ("{props.title} and x", 2),
    ]
    assert [(link.form, link.target) for link in found.links] == [(LinkForm.LINK, "a.md"), (LinkForm.HTML, "/cards")]
    assert found.source == (CASES / "page.mdx").read_bytes()


def test_tags_of_components_leave_no_blanks_in_a_heading() -> None:
    text = "# The <Badge tone='x' /> way\n\n## `run` <sup><a href='/s'><Icon icon='i' /></a></sup>\n\nText [a](b.md).\n"
    found = document(text, "page.mdx")
    assert [(section.title, section.anchor) for section in found.sections[1:]] == [
        ("The  way", "the--way"),
        ("run ", "run-"),
    ]
    assert [found.text(link.span) for link in of_form(found, LinkForm.LINK)] == ["[a](b.md)"]
    assert found.text(found.sections[2].span).startswith("## `run`")


def test_code_blocks_know_their_language_and_section() -> None:
    found = document("```Python title=x\na\n```\n\n# A\n\n    indented\n\n~~~ {.rust}\nb\n~~~\n")
    assert [(block.section, block.language, found.text(block.span)) for block in found.code] == [
        (0, "python", "```Python title=x\na\n```"),
        (1, "", "indented\n"),
        (1, "rust", "~~~ {.rust}\nb\n~~~"),
    ]
    assert [section.shapes for section in found.sections] == [(Shape.CODE,), (Shape.CODE,)]


def test_links_stand_where_they_are_written() -> None:
    text = "# Ä [a](b)\n\nü [![i](p.png)](q) <https://x.example>\n"
    found = document(text)
    assert [(found.text(link.span), link.target, link.text, link.line, link.section) for link in found.links] == [
        ("[a](b)", "b", "a", 0, 1),
        ("[![i](p.png)](q)", "q", "", 2, 1),
        ("![i](p.png)", "p.png", "i", 2, 1),
        ("<https://x.example>", "https://x.example", "https://x.example", 2, 1),
    ]
    assert found.sections[1].title == "Ä a"


def test_unknown_fields_are_kept_as_json() -> None:
    found = document("---\nnested: {a: [1, x, 2024-01-01], b: {c: yes}}\nslug: a/b\n---\n")
    assert json.loads(found.metadata.extra) == {
        "nested": {"a": [1, "x", "2024-01-01"], "b": {"c": "yes"}},
        "slug": "a/b",
    }


def test_mdx_keeps_headings_and_links_inside_components_where_they_stand() -> None:
    text = (
        '# T\n\n<Card href="/y">Some [link](x.md) prose</Card>\n\n<Tabs>\n  <Tab>\n    Deep [two](x.md#x)\n\n'
        "    ## Inside tab\n\n    ```js\n    # no heading\n        ```\n\n\t[three](z.md)\n  </Tab>\n</Tabs>\n\n"
        "1. item\n   ```sh\n       # deep\n   ```\n\n## After\n\n- ```sh\n      # deeper\n  ```\n\n# Last\n"
    )
    found = document(text, "page.mdx")
    assert [section.title for section in found.sections[1:]] == ["T", "Inside tab", "After", "Last"]
    assert found.text(found.sections[2].span).startswith("## Inside tab\n")
    assert [found.text(link.span) for link in of_form(found, LinkForm.LINK)] == [
        *("[link](x.md)", "[two](x.md#x)", "[three](z.md)")
    ]
    assert [link.line for link in of_form(found, LinkForm.LINK)] == [2, 6, 14]
    assert [block.language for block in found.code] == ["js", "sh", "sh"]
    assert found.text(found.code[0].span).strip() == "```js\n    # no heading\n        ```"


@pytest.mark.parametrize("path", ["Tests/plan.md", "docs/TEST_login.md", "tests/a.md"])
def test_a_test_document_is_known_however_it_is_capitalised(path: str) -> None:
    assert document("[x](y.md)\n", path).links[0].relation is Relation.TESTS


def test_a_rule_at_the_start_swallows_nothing() -> None:
    found = document("---\n# not fm\ntext [x](x.md)\n\n---\n\n# Real\n")
    assert [section.title for section in found.sections[1:]] == ["not fm", "Real"]
    assert targets(found, LinkForm.LINK) == ["x.md"]


@pytest.mark.parametrize(
    "text",
    [
        *("Use $HOME_DIR and then `x$` too.", "A cup is $5 + tip here, 10$.", "Save $5=USD5$."),
        *("The pid $$ and another $$ there.", "$5 and $6", "$$\n\n$$"),
    ],
)
def test_money_variables_and_process_ids_are_no_formulas(text: str) -> None:
    assert shapes(document(text)) == {}


@pytest.mark.parametrize(
    "text",
    [
        *("$2xy = 3$", "$5\\text{ kg} + 1$", "Here $$x^2$$ is", "$$ a = b $$", "$x$", "$\\alpha$"),
        "$$\na\n\nb\n$$",
        "- $$\n  c\n  $$",
        "$$\n" + "a + b\n" * 1_000 + "$$",
    ],
)
def test_formulas_may_be_long_and_hold_blank_lines(text: str) -> None:
    assert shapes(document(text)) == {"": (Shape.FORMULA,)}


def test_the_addresses_of_a_srcset_may_hold_commas() -> None:
    found = document(
        '<img srcset="https://res.cloudinary.com/w_100,h_100/a.png 1x, data:image/png;base64,AA 2x,b.png, c.png 3x">\n'
    )
    assert targets(found, LinkForm.HTML) == [
        *("https://res.cloudinary.com/w_100,h_100/a.png", "data:image/png;base64,AA", "b.png", "c.png")
    ]


def test_a_drawing_counts_where_it_is_shown_and_not_where_it_is_linked() -> None:
    assert shapes(document('<a href="flow.svg">x</a>\n')) == {}
    assert shapes(document('<img src="flow.svg">\n')) == {"": (Shape.DIAGRAM,)}
    assert shapes(document('Text <img srcset="flow.svg 2x">\n')) == {"": (Shape.DIAGRAM,)}


def test_hashes_that_close_a_heading_before_its_id_are_not_its_title() -> None:
    found = document("# Two ## {#two}\n\n## C# {#c-sharp}\n")
    assert [(section.title, section.aliases) for section in found.sections[1:]] == [("Two", ()), ("C#", ("c-sharp",))]


def test_related_fields_stand_on_the_line_where_they_are_written() -> None:
    text = '---\ntitle: b.md\nrelated:\n  - a.md\n  - \'b.md\'\n  - "[[C d]]"\n  - "\\x65.md"\n---\n# T\n'
    found = of_form(document(text), LinkForm.FRONTMATTER)
    assert [(link.target, link.line) for link in found] == [("a.md", 3), ("b.md", 4), ("C d", 5), ("e.md", 0)]


def test_paths_without_ending_and_document_names_are_candidates() -> None:
    found = document(
        "Run `scripts/build` in `docker/Dockerfile`, see `Makefile`, `LICENSE` and `README`; not `text/html`,\n"
        "`/api/users` nor\n"
        "`src/`, `and / or`, `x`. See CHANGES.md, (notes.txt). Not a.b/x.md, foo@example.org, x.md5,\n"
        "[y.md](y.md) or .md.\n"
        "But [[z.md]] and `code.md`.\n"
    )
    assert targets(found, LinkForm.PATH) == [
        *("scripts/build", "docker/Dockerfile", "Makefile", "LICENSE", "README"),
        *("CHANGES.md", "notes.txt", "a.b/x.md", "code.md"),
    ]
    assert [found.text(link.span) for link in of_form(found, LinkForm.PATH)][5:7] == ["CHANGES.md", "notes.txt"]


def test_whatever_shows_a_picture_refers_to_it() -> None:
    found = document(
        "---\nimage: assets/cover.png\nthumbnail: {src: small.png, alt: A cover}\n---\n\n# T\n\n"
        '<object data="flow.svg"></object> <embed src="a.svg"> <iframe src="b.html"></iframe>\n\n'
        "<div style=\"background: url('bg.png'), url( tile.png ), url(data:abc)\">x</div>\n\n"
        '<style>\n.a { background: url("css.png") }\n.b { fill: url(#gradient) }\n</style>\n'
    )
    assert targets(found, LinkForm.HTML) == ["flow.svg", "a.svg", "b.html", "bg.png", "tile.png", "css.png"]
    assert [(link.target, link.line) for link in of_form(found, LinkForm.PATH)] == [
        ("assets/cover.png", 1),
        ("small.png", 2),
    ]
    assert Shape.DIAGRAM in found.sections[1].shapes
