"""Web pages become readable Markdown, whatever they are made of."""

from __future__ import annotations

import pytest

from pinakes.added.text import Original, readable
from pinakes.conversion import ConversionLimits, convert
from pinakes.conversion.hidden import MOST_SELECTORS, hidden_selectors, mark_hidden
from pinakes.errors import Unfit
from pinakes.records.added import TextType

PAGE = """<!doctype html><html><head><title>Tides &amp; more | Harbour</title><style>p { color: red }</style></head>
<body><header><nav><a href="/">Home</a> menu</nav></header><div role="navigation">breadcrumbs</div>
<main><h1>Tides</h1><p>High <b>water</b> comes <a href="../twice.html">twice</a>.</p>
<script>steal()</script><noscript>please turn it on</noscript><template>later</template>
<h2 id="t">Tables <a class="headerlink" href="#t">¶</a></h2>
<table><tr><th>day</th><th>hour</th></tr><tr><td>1</td><td>2|3</td></tr></table>
<ul><li>one<ul><li>inner</li></ul></li><li>two</li></ul>
<pre><code class="language-python">def f():
    return "&lt;b&gt;"
</code></pre>
<form><input name="q"><button>Go</button></form></main><footer>imprint</footer></body></html>"""


def kept(html: str, base: str = "") -> str:
    return readable(Original("page", html.encode(), TextType.HTML, base=base)).text.decode()


def test_what_is_read_stays_and_what_surrounds_it_goes() -> None:
    lines = [line for line in kept(PAGE, "https://example.org/a/b.html").split("\n") if line]
    assert lines == [
        "# Tides",
        "High **water** comes [twice](https://example.org/twice.html).",
        "## Tables",
        *("| day | hour |", "| --- | --- |", "| 1 | 2\\|3 |"),
        *("- one", "  * inner", "- two"),
        *("```python", "def f():", '    return "<b>"', "```"),
    ]


@pytest.mark.parametrize(
    ("html", "title"),
    [
        (PAGE, "Tides"),
        ("<title> A page\n of ours </title><p>Words", "A page of ours"),
        ("<title></title><p>Words come first", "Words come first"),
        ("<p>Words", "Words"),
        ("<title>A</title><pre># B</pre>", "A"),
        ("<title>A</title><h2>B</h2>", "A"),
    ],
)
def test_the_title_is_the_first_heading_or_else_what_the_page_calls_itself(html: str, title: str) -> None:
    assert readable(Original("page", html.encode(), TextType.HTML)).title == title


def test_a_title_that_stands_nowhere_in_the_text_is_put_above_it() -> None:
    assert kept("<title>Tides</title><p>Words") == "# Tides\n\nWords\n"


def test_markup_that_is_only_spoken_of_hides_nothing() -> None:
    text = kept("<h1>A</h1><p>&lt;!-- never closed</p><p>&lt;script&gt; neither</p><h2>B</h2><pre>&lt;!-- code</pre>")
    assert "\\<!-- never closed" in text
    assert "\n<!-- code\n" in text
    from pinakes.parse import parse
    from pinakes.records import Raw, Ref, Stamp, formats

    document = parse(Raw(Stamp(Ref("added", "a.md"), "", formats.MARKDOWN), text.encode(), ""))
    assert [section.title for section in document.sections] == ["", "A", "B"]


@pytest.mark.parametrize(
    "html",
    [
        "<div>" * 50_000 + "words",
        "<b>" * 50_000 + "words",
        "<ul><li>" * 20_000 + "words",
        "<blockquote>" * 20_000 + "words",
        "<table><tr><td>" * 20_000 + "words",
        "<" * 300_000 + "words",
        "<a " * 100_000,
        "<!--" * 100_000,
        "&amp" * 100_000,
        "<title>" * 100_000,
        "<p>\x00\ud800".encode("utf-8", "surrogatepass").decode("utf-8", "replace"),
    ],
    ids=lambda html: f"{html[:12]!a}",
)
def test_hostile_pages_are_read_or_refused(html: str) -> None:
    try:
        kept(html)
    except Unfit as unfit:
        assert "page" in unfit.problem


def test_a_page_made_to_take_for_ever_is_given_up() -> None:
    html = "<p " + " ".join(f"a{number}=1" for number in range(600_000)) + ">words"
    with pytest.raises(Unfit, match="takes too long"):
        convert("pinakes.conversion.page:page_text", html.encode(), "page", limits=ConversionLimits(1.0))


HIDDEN = [
    '<div style="display:none">X</div>',
    '<div style="visibility: hidden">X</div>',
    "<p hidden>X</p>",
    '<p hidden="until-found">X</p>',
    '<p aria-hidden="true">X</p>',
    "<p ARIA-HIDDEN=True>X</p>",
    "<template>X</template>",
    "<noscript>X</noscript>",
    "<!-- X -->",
    "<canvas>X</canvas>",
    "<video><p>X</p></video><audio>X</audio>",
    "<datalist><option>X</option></datalist>",
    '<span style="font-size:0">X</span>',
    '<span style="FONT-SIZE : 0px; color:red">X</span>',
    '<p style="font:0/0 a">X</p>',
    '<p style="opacity:0">X</p>',
    '<p style="opacity:.01">X</p>',
    '<p style="font-size:1px">X</p>',
    '<p style="font-size: 0.1em">X</p>',
    '<p style="font: bold 2.5px/1 serif">X</p>',
    "<p popover>X</p>",
    '<div popover="manual" id=a>X</div>',
    "<style>.tiny{font-size:1px}</style><p class=tiny>X</p>",
    '<p style="position:absolute;left:-9999px">X</p>',
    '<p style="text-indent:-9999px">X</p>',
    '<p style="color:white;background:white">X</p>',
    '<p style="color:transparent">X</p>',
    '<p style="color:#ffffff00">X</p>',
    '<p style="clip:rect(0,0,0,0)">X</p>',
    '<p style="transform:scale(0)">X</p>',
    '<div style="height:0;overflow:hidden">X</div>',
    '<div style="display:/**/none">X</div>',
    "<p style='display:none !important'>X</p>",
    "<p style=display:none>X</p>",
    '<p style="d\\69splay:none">X</p>',
    '<p style="display&#58;none">X</p>',
    '<p/style="display:none">X</p>',
    '<p STYLE="color:red;DISPLAY:NONE">X</p>',
    '<p title=">" style="display:none">X</p>',
    '<a style="display:none" href="http://example.org/">X</a>',
    '<table><tr style="display:none"><td>X</td></tr><tr><td>q</td></tr></table>',
    "<ul><li hidden>X<li>s</ul>",
    '<svg aria-hidden="true"><text>X</text></svg>',
    "<h1 hidden>X</h1>",
    '<div style="display:none"><div>a</div><pre>X</pre></div>',
    '<style>.z{display:none}</style><p class="a z">X</p>',
    "<style>/* a */ p { color: red } #q{visibility:hidden}</style><p id=q>X</p>",
    '<style>p.z,\n.y{color:red;display:none}</style><p class="y">X</p>',
]
SEEN = [
    "<details><summary>s</summary>X</details>",
    '<pre><code>&lt;div style="display:none"&gt;X</code></pre>',
    "<style>.tab{display:none}.tab.on{display:block}</style><div class=tab>X</div>",
    "<style>@media print{.a{display:none}}</style><p class=a>X</p>",
    '<p style="opacity:0.5;font-size:0.9em;left:-10px;margin:0;border:0;height:0">X</p>',
    '<p style="color:white;background:black;display:flex">X</p>',
    '<p aria-hidden="false" data-style="display:none">X</p>',
    '<p style="font-size:11px">X</p><p style="font:12px serif">y</p>',
    '<p style="font-size:85%;opacity:.9">X</p>',
]


@pytest.mark.parametrize("html", HIDDEN)
def test_text_that_a_page_hides_is_left_out(html: str) -> None:
    text = kept(f"<html><body><p>before</p>{html}<p>after</p></body></html>")
    assert "X" not in text
    assert "before" in text
    assert "after" in text


@pytest.mark.parametrize("html", SEEN)
def test_text_that_a_page_shows_or_unfolds_is_kept(html: str) -> None:
    assert "X" in kept(f"<html><body><p>before</p>{html}</body></html>")


@pytest.mark.parametrize(
    "html",
    [
        '<a "' * 200_000,
        '<p style="' * 200_000,
        "<style>" + "@x{" * 50_000 + "</style>",
        "<style>" + ".a," * 100_000 + "{display:none}</style>",
        "<style>" + ".a{display:none}" * 50_000 + "</style><p>after",
    ],
    ids=lambda html: html[:10],
)
def test_pages_made_to_be_slow_are_read_or_refused_in_time(html: str) -> None:
    mark_hidden(html)
    assert len(hidden_selectors(html)) <= MOST_SELECTORS
