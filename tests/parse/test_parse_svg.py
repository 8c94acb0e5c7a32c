"""What is read in a drawing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.parse.svg import parse_svg
from pinakes.records import Document, Raw, Ref, Span, Stamp, formats


def drawing(content: str | bytes, path: str = "assets/flow.svg") -> Document:
    data = content if isinstance(content, bytes) else content.encode()
    return parse_svg(Raw(Stamp(Ref("docs", path), "1-1", formats.SVG), data, "digest"))


def svg(inner: str) -> str:
    return f'<svg xmlns="http://www.w3.org/2000/svg">{inner}</svg>'


def outline(document: Document) -> list[tuple[int, str, tuple[str, ...]]]:
    return [(section.level, section.title, section.keywords) for section in document.sections]


def labels(document: Document) -> list[str]:
    return [label for section in document.sections for label in section.keywords]


def squeezed(text: str) -> str:
    return "".join(text.split())


def _parted(text: str, labels: set[str]) -> bool:
    """Whether a text is one label, or several that stand on one row, behind one another."""
    reached = [True, *(False for _ in text)]
    for end in range(1, len(text) + 1):
        reached[end] = any(reached[end - len(label)] for label in labels if text[:end].endswith(label))
    return reached[-1]


def test_every_label_of_the_real_drawings_is_read_and_no_cut_off_copy(laid_out: Path) -> None:
    truths = [json.loads(line) for line in (laid_out / "svg-truth.jsonl").read_text().splitlines()]
    assert len(truths) == 23
    for truth in truths:
        document = drawing((laid_out / truth["file"]).read_bytes(), truth["file"])
        read = [label for label in labels(document) if " → " not in label]
        foreign = {squeezed(label) for label in truth["foreign"]}
        texts = {squeezed(label) for label in truth["texts"]}
        fallback = {label for label in texts - foreign if foreign and ("..." in label or "upport" in label)}
        fallback |= {label for label in texts if label.startswith(("TextisnotSVG", "<font"))}
        expected = (foreign | texts) - fallback
        assert all(any(label in squeezed(one) for one in read) for label in expected), truth["file"]
        assert all(_parted(squeezed(label), expected) for label in read), truth["file"]
        assert [link.target for link in document.links] == truth["links"]


def test_title_description_and_named_groups_are_headings_that_hold_their_labels() -> None:
    document = drawing(
        svg(
            "<title>Login flow</title><desc>How a user signs in</desc><text>outside</text>"
            '<g id="Client"><text>Browser</text><g aria-label="Cache"><text>Local</text></g><text>App</text></g>'
            '<g inkscape:label="Server side" id="g12"><text>API</text></g><text>end</text>'
        )
    )
    assert document.title == "Login flow"
    assert outline(document) == [
        (0, "", ()),
        (1, "Login flow", ("outside", "end")),
        (2, "How a user signs in", ()),
        (2, "Client", ("Browser", "App")),
        (3, "Cache", ("Local",)),
        (2, "Server side", ("API",)),
    ]
    assert [section.parent for section in document.sections] == [-1, 0, 1, 1, 3, 1]
    assert [section.anchor for section in document.sections[3:]] == ["client", "cache", "server-side"]
    assert [section.aliases for section in document.sections[3:]] == [("Client",), (), ("g12",)]
    assert document.text(document.own(4)).startswith('<g aria-label="Cache"><text>Local')


NUMBERED = """
g1234 layer1 Layer_1 path-7-2 node12 edge3 graph0 clust1 a_node1 svg g root flowchart-service1-507 XMLID_12_ SVGID_1_ x
b_00000049215734725413809840000010995902945715057082_ state-s4-41 3f2b8c1d-aaaa cell-a8
"""


@pytest.mark.parametrize("identity", NUMBERED.split())
def test_groups_that_a_program_numbered_are_not_headings(identity: str) -> None:
    document = drawing(svg(f'<g id="{identity}"><text>label</text></g>'))
    assert outline(document) == [(0, "", ("label",))]


@pytest.mark.parametrize(
    ("identity", "title"),
    [
        ("Control_Plane", "Control_Plane"),
        ("service", "service"),
        ("Node", "Node"),
        ("step-2-login", "step-2-login"),
        ("labels_x2F_selectors", "labels/selectors"),
        ("入口", "入口"),
    ],
)
def test_groups_that_a_person_named_are_headings(identity: str, title: str) -> None:
    document = drawing(svg(f'<g id="{identity}"><text>label</text></g>'))
    assert outline(document) == [(0, "", ()), (1, title, ("label",))]


def test_groups_without_anything_to_read_are_not_headings_unless_they_are_spoken() -> None:
    document = drawing(svg('<g id="Background"><rect/></g><g id="Shapes"><g aria-label="Database"><path/></g></g>'))
    assert outline(document) == [(0, "", ()), (1, "Shapes", ()), (2, "Database", ())]


def test_a_label_is_one_text_with_its_pieces_joined_and_repeats_count_once() -> None:
    document = drawing(
        svg(
            '<text x="1" y="2"><tspan>Hel</tspan><tspan x="9" y="2">lo</tspan>'
            '<tspan x="1" dy="1em">big\n   world</tspan></text>'
            "<text> </text><text>Pod</text><text>Pod</text><text><textPath>on a path</textPath></text>"
        )
    )
    assert labels(document) == ["Hello big world", "Pod", "on a path"]


def test_html_in_a_drawing_is_one_label_and_hides_the_copy_made_for_lesser_programs() -> None:
    document = drawing(
        svg(
            "<switch><foreignObject><div>Device<br/>Pl<b>ug</b>in <span>API</span></div></foreignObject>"
            "<text>Device Pl...</text></switch>"
            '<switch><g requiredFeatures="x"/><a xlink:href="https://www.drawio.com/faq">'
            "<text>Text is not SVG</text></a></switch><foreignObject><p>alone</p></foreignObject>"
            '<switch><text systemLanguage="de">Hallo</text><text>Hello</text></switch>'
        )
    )
    assert labels(document) == ["Device Plugin API", "alone", "Hallo", "Hello"]
    assert [(link.target, link.text) for link in document.links] == [("https://www.drawio.com/faq", "Text is not SVG")]


def test_definitions_styles_scripts_and_metadata_are_skipped() -> None:
    inner = "<text>no</text><g aria-label='no'><text>no</text></g>"
    skipped = "".join(f"<{name}>{inner}</{name}>" for name in ("defs", "style", "script", "metadata"))
    assert outline(drawing(svg(f"{skipped}<text>yes<style>no</style></text>"))) == [(0, "", ("yes",))]


def test_links_carry_their_place_target_and_text() -> None:
    source = svg(
        '\n<a href="guide.md#x"><text>Guide</text></a><a href="#top"><text>up</text></a>'
        '<g id="Parser">\n<text>See <a xlink:href="parser.md?a=1&amp;b=2">the parser</a>.</text></g><a href=" "/>'
    )
    document = drawing(source)
    first, second = document.links
    assert (first.target, first.text, first.section, first.line) == ("guide.md#x", "Guide", 0, 1)
    assert document.text(first.span) == '<a href="guide.md#x">'
    assert (second.target, second.text, second.section, second.line) == ("parser.md?a=1&b=2", "the parser", 1, 2)
    assert labels(document) == ["Guide", "up", "See the parser."]


def test_a_drawing_without_text_says_so_and_is_called_by_its_file() -> None:
    document = drawing(svg("<path d='M0 0'/>"), "img/logo.svg")
    assert document.title == "logo.svg"
    assert outline(document) == [(0, "", ())]
    assert document.warnings == ("The drawing holds no text, so nothing but its name can be found.",)


def test_entities_are_not_expanded_and_the_rest_is_read() -> None:
    bomb = "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10))
    declared = f'<!DOCTYPE svg [<!-- ]> --><!ENTITY a0 "ha]>">{bomb}<!ENTITY out SYSTEM "file:///etc/passwd">]>'
    inner = '<text>one &a9; two</text><text>&out;</text><g id="&a9;Name"><text>a&nbsp;b &lt;c&gt;</text></g>'
    document = drawing(f'<?xml version="1.0" standalone="yes"?>{declared}{svg(inner)}')
    assert outline(document) == [(0, "", ("one two",)), (1, "Name", ("a b <c>",))]
    assert document.warnings == ("The drawing declares XML entities; they were not expanded.",)


def test_a_drawing_that_breaks_off_keeps_what_was_read() -> None:
    document = drawing(svg('<g id="Client"><text>kept</text><a href="a.md"><text>also</b>').removesuffix("</svg>"))
    assert outline(document) == [(0, "", ()), (1, "Client", ("kept", "also"))]
    assert [link.target for link in document.links] == ["a.md"]
    assert document.warnings == (
        "The drawing is broken XML at line 1 (mismatched tag); what stands behind was not read.",
    )


@pytest.mark.parametrize("attributes", ["", ' id="Same"', ' aria-label="deep"'])
def test_two_hundred_thousand_nested_groups_are_read(attributes: str) -> None:
    deep = f"<g{attributes}>" * 200_000 + "<text>bottom</text>" + "</g>" * 200_000
    document = drawing(svg(deep))
    assert labels(document) == ["bottom"]
    assert len(document.sections) == (51 if attributes else 1)


def test_positions_are_those_of_the_text_that_was_read() -> None:
    latin = '<?xml version="1.0" encoding="ISO-8859-1"?><svg><title>Café</title><text>Über</text></svg>'
    document = drawing(latin.encode("latin-1"))
    assert (document.title, labels(document)) == ("Café", ["Über"])
    assert document.text(document.sections[1].span).startswith("<title>Café")
    assert "iso-8859-1" in document.warnings[0]
    marked = drawing(b"\xef\xbb\xbf" + svg("<title>T</title>").encode())
    assert marked.text(marked.sections[1].span).startswith("<title>T")
    wide = drawing(svg("<text>wide</text>").encode("utf-16"))
    assert labels(wide) == ["wide"]


@pytest.mark.parametrize("encoding", ["UTF-7", "rot13", "zip", "nonsense"])
def test_an_unknown_encoding_is_read_as_utf_8_and_said(encoding: str) -> None:
    document = drawing(f'<?xml version="1.0" encoding="{encoding}"?>' + svg("<text>+ADw-b+AD4-</text>"))
    assert labels(document) == ["+ADw-b+AD4-"]
    assert encoding.lower() in document.warnings[0]


PIECES = st.sampled_from(
    [
        f"<{name}>"
        for name in ("text", "/text", "title", "/title", "desc", "/desc", "defs", "/defs", "/g", "/a", "g id='Part'")
    ]
    + [
        f"<{name}>"
        for name in ("switch", "/switch", "foreignObject", "/foreignObject", "a href='b.md'", "!DOCTYPE svg [")
    ]
    + ["label", "&amp;", "&x;", "é", "<", "]>", "<?xml?>", "<!--", "-->", "'", "\r\n"]
)


@given(
    st.one_of(st.binary(max_size=200), st.lists(PIECES, max_size=40).map(lambda pieces: svg("".join(pieces)).encode()))
)
def test_any_bytes_are_read_and_every_place_is_inside(data: bytes) -> None:
    document = drawing(data)
    root = document.sections[0]
    assert root.span.end == len(document.source)
    starts = [section.span.start for section in document.sections]
    assert starts == sorted(starts)
    for position, section in enumerate(document.sections[1:], 1):
        parent = document.sections[section.parent]
        assert section.parent < position
        assert section.level > parent.level
        assert parent.span.start <= section.span.start < section.span.end <= parent.span.end
        assert parent.lines.start <= section.lines.start < section.lines.end <= parent.lines.end
    assert len({section.anchor for section in document.sections}) == len(document.sections)
    for ordinal, link in enumerate(document.links):
        assert link.ordinal == ordinal
        assert document.text(Span(link.span.start, link.span.start + 2)) == "<a"


def test_words_on_one_row_that_follow_one_another_are_one_label() -> None:
    word = '<text font-size="12px" x="{}" y="{}">{}</text>'
    placed = [(40, 11, "Identity"), (82, 11, "Provider"), (300, 11, "Alone"), (40, 31, "Below"), (5, 31, "Before")]
    inner = "".join(word.format(*one) for one in placed)
    assert labels(drawing(svg(inner))) == ["Identity Provider", "Alone", "Below", "Before"]
    centred = inner.replace("<text", '<text text-anchor="middle"')
    assert labels(drawing(svg(centred))) == ["Identity", "Provider", "Alone", "Below", "Before"]
    apart = word.format(40, 11, "Identity") + "</g><g>" + word.format(82, 11, "Provider")
    assert labels(drawing(svg(f"<g>{apart}</g>"))) == ["Identity", "Provider"]


def test_links_and_lines_belong_to_the_group_around_them() -> None:
    document = drawing(
        svg(
            '<g id="Inner box">\n<text>inside</text>\n<a href="in.md"><text>in</text></a>\n</g>\n'
            '<a href="y.md"><text>outside</text></a>\n<text>after</text>\n\n\n'
        )
    )
    assert [(link.target, link.section) for link in document.links] == [("in.md", 1), ("y.md", 0)]
    box = document.sections[1]
    assert box.keywords == ("inside", "in")
    assert box.lines.length == 4
    assert document.text(box.span).endswith("<text>in</text></a>\n")


def test_arrows_of_graphviz_join_what_is_written_in_their_nodes() -> None:
    document = drawing(
        svg(
            '<g class="node"><title>a</title><text>Queue</text></g>'
            '<g class="node"><title>b</title><text>Worker</text></g>'
            '<g class="edge"><title>a&#45;&gt;b</title><path d="M0"/><text>hands over</text></g>'
            '<g class="edge"><title>b:out&#45;&gt;c</title></g><g class="edge"><title>a&#45;&gt;b</title></g>'
        )
    )
    assert labels(document) == ["Queue", "Worker", "hands over", "Queue → Worker", "Worker → c"]


def test_arrows_of_mermaid_join_what_is_written_in_their_nodes() -> None:
    node = '<g class="node default" id="{}"><foreignObject><div>{}</div></foreignObject></g>'
    ids = {"flowchart-my-client-3": "Client", "flowchart-ingress-4": "Ingress"}
    nodes = "".join(node.format(*one) for one in ids.items())
    for edge in ("L-my-client-ingress", "L-my-client-ingress-0"):
        assert labels(drawing(svg(f'<path id="{edge}"/>{nodes}'))) == ["Client", "Ingress", "Client → Ingress"]
    assert labels(drawing(svg(f'<path id="L-other-ingress"/>{nodes}'))) == ["Client", "Ingress"]
