"""What a reader sees of documents that are written in more than plain Markdown, and of other formats."""

from __future__ import annotations

import re

import pytest

from pinakes.html.code import LANGUAGES, LONGEST, Colours
from pinakes.html.document import document_html
from pinakes.html.targets import Targets
from pinakes.parse import parse
from pinakes.records import DOCS, Document, Edge, Outcome, Raw, Ref, Stamp, formats
from pinakes.records.formats import Media


class Places:
    """Where a test shows documents."""

    def page(self, to: Ref) -> str | None:
        return f"/read/{to.path}#{to.anchor}".rstrip("#")

    def picture(self, to: Ref) -> str | None:
        return f"/asset/{to.path}"


def read(source: str, path: str = "a.md", media: Media = formats.MARKDOWN) -> Document:
    return parse(Raw(Stamp(Ref(DOCS, path), "1", media), source.encode(), "d"))


def drawn(source: str, path: str = "a.md", media: Media = formats.MARKDOWN, leads: str = "") -> str:
    """The markup of a document; links to the target `leads` are resolved, others lead nowhere."""
    document = read(source, path, media)
    edges = tuple(
        Edge(document.ref, link, Ref(DOCS, "there.md"), Outcome.FOUND)
        for link in document.links
        if leads and link.target == leads
    )
    return document_html(document, Targets.of(edges, Places()))


def bare(markup: str) -> str:
    """Markup without permalinks, lines and blanks between elements."""
    markup = re.sub(r'<a href="[^"]*" class="permalink"[^>]*></a>| (?:data-lines|tabindex|rel)="[^"]*"', "", markup)
    return re.sub(r">\s+<", "><", markup)


MKDOCS = """\
!!! note "Mind the **wick**"
    It burns. [More](there.md).

    ```py
    trim()
    ```

    ??? warning
        Inside, and folded.

After it.
"""


def test_boxes_of_mkdocs_hold_their_text_their_code_and_other_boxes() -> None:
    assert bare(drawn(MKDOCS, leads="there.md")) == (
        '<div class="prose"><div class="box note"><p class="box-title">Mind the wick</p>'
        '<p>It burns. <a href="/read/there.md">More</a>.</p><pre><code data-language="py">trim()\n</code></pre>'
        '<details class="box care"><summary>Warning</summary><p>Inside, and folded.</p></details></div>'
        "<p>After it.</p></div>"
    )


def test_blocks_in_a_box_know_their_lines_in_the_file() -> None:
    made = drawn(MKDOCS)
    assert '<p data-lines="2">It burns.' in made
    assert '<pre data-lines="4-6"' in made
    assert '<p data-lines="9">Inside, and folded.' in made
    assert '<p data-lines="11">After it.' in made


@pytest.mark.parametrize(
    ("source", "path"),
    [
        ('=== "One"\n\n    first\n\n=== "Two"\n\n    second\n', "a.md"),
        (
            '<Tabs>\n  <TabItem value="1" label="One">\n\n    first\n\n  </TabItem>\n'
            '  <TabItem value="2" label="Two">\n\n    second\n\n  </TabItem>\n</Tabs>\n',
            "a.mdx",
        ),
        (
            '{{< tabs >}}\n{{% tab name="One" %}}\nfirst\n{{% /tab %}}\n{{% tab name="Two" %}}\nsecond\n{{% /tab %}}\n'
            "{{< /tabs >}}\n",
            "a.md",
        ),
    ],
    ids=["MkDocs", "Docusaurus", "Hugo"],
)
def test_tabs_stand_one_after_another_each_with_its_name(source: str, path: str) -> None:
    assert bare(drawn(source, path)) == (
        '<div class="prose"><div class="tabs"><div class="tab"><p class="tab-name">One</p><p>first</p></div>'
        '<div class="tab"><p class="tab-name">Two</p><p>second</p></div></div></div>'
    )


@pytest.mark.parametrize(
    "source",
    [
        ":::warning\n\nHot.\n\n:::\n",
        "::: warning\nHot.\n:::\n",
        "/// warning\nHot.\n///\n",
        "/// warning | Warning\n\nHot.\n\n///\n",
        "> [!WARNING]\n> Hot.\n",
        "{{< warning >}}\nHot.\n{{< /warning >}}\n",
        "{{% alert warning %}}\nHot.\n{{% /alert %}}\n",
        '<Admonition type="warning">\n\nHot.\n\n</Admonition>\n',
        "!!! warning\n    Hot.\n",
    ],
    ids=[
        "Docusaurus",
        "VitePress",
        "PyMdown",
        "PyMdown with a title",
        "GitHub",
        "Hugo",
        "Docsy",
        "component",
        "MkDocs",
    ],
)
def test_a_box_is_the_same_whichever_generator_it_is_written_for(source: str) -> None:
    assert bare(drawn(source)) == (
        '<div class="prose"><div class="box care"><p class="box-title">Warning</p><p>Hot.</p></div></div>'
    )


def test_a_box_in_a_list_stays_in_its_item() -> None:
    made = bare(drawn("1. step\n\n    !!! tip\n        in it\n\n2. next\n"))
    assert '<li><p>step</p><div class="box good"><p class="box-title">Tip</p><p>in it</p></div></li><li>' in made


def test_lines_with_slashes_that_open_nothing_stay_and_tabs_need_no_group() -> None:
    source = "/// The summary of a class.\n\nwords\n\n///\n\n//// tab | One\n\nfirst\n\n////\n"
    assert bare(drawn(source)) == (
        '<div class="prose"><p>/// The summary of a class.</p><p>words</p><p>///</p>'
        '<div class="tab"><p class="tab-name">One</p><p>first</p></div></div>'
    )


def test_what_opens_no_box_stays_as_it_is_written() -> None:
    assert "!!!important" in drawn("!!!important\n")
    assert "::::" in drawn(":::note\n::::\n:::\n")
    assert "!!! note" in drawn("```\n!!! note\n    x\n```\n")
    assert drawn("{{< /note >}}\n\n:::\n").count("<div") == 1


def test_templates_show_their_words_or_nothing_and_stay_in_code() -> None:
    made = drawn(
        'A {{< glossary_tooltip text="Pod" term_id="pod" >}} runs{{< skew >}}. `{{< note >}}` :material-home: x\n'
    )
    assert ">A Pod runs. <code>{{&lt; note &gt;}}</code> x</p>" in made


def test_formulas_and_diagrams_are_marked_for_the_script_and_prices_are_not() -> None:
    made = bare(drawn("So $x^2$ costs $5 and $6, $HOME/$USER.\n\n$$\n\\frac{a}{b}\n$$\n\n```mermaid\nA-->B\n```\n"))
    assert 'So <code class="formula">x^2</code> costs $5 and $6, $HOME/$USER.' in made
    assert '<code class="formula block">\\frac{a}{b}</code>' in made
    assert '<pre class="diagram">A--&gt;B</pre>' in made


def test_definition_lists_are_lists() -> None:
    assert "<dl><dt>Wick</dt><dd>What burns.</dd></dl>" in bare(drawn("Wick\n: What burns.\n"))


def test_code_is_coloured_by_kind_of_word_and_escaped() -> None:
    made = drawn('```python\ndef f():  # "<b>"\n    return 1\n```\n')
    assert '<span class="k">def </span><span class="f">f</span>' in made
    assert '<span class="c"># &quot;&lt;b&gt;&quot;' in made
    assert '<span class="n">1' in made
    assert "<b>" not in made


def test_code_without_colours_is_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Colours().coloured("a < b", "klingon") == "a &lt; b"
    assert Colours().coloured("1" * (LONGEST + 1), "python") == "1" * (LONGEST + 1)
    assert Colours(seconds=0).coloured("def f(): 1", "python") == "def f(): 1"


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_colours_lose_no_sign_of_any_language(language: str) -> None:
    code = '  if (a && b) {\n\treturn "<x>"; // \'\n}\n# é\n$ ls -la | wc\n\n'
    made = Colours(seconds=10).coloured(code, language)
    assert (
        re.sub(r"<[^>]*>", "", made)
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", '"')
        .replace("&#x27;", "'")
        .replace("&amp;", "&")
        == code
    )


def test_words_read_from_the_right_say_so_and_only_there() -> None:
    made = drawn("# שלום\n\nעברית.\n\n- א\n")
    assert '<h1 id="שלום" data-lines="1" dir="auto">' in made
    assert '<p data-lines="3" dir="auto">' in made
    assert '<ul dir="auto">' in made
    assert "dir=" not in drawn("# Plain\n\nWords.\n")


def test_a_heading_leads_to_itself() -> None:
    assert '<a href="#b" class="permalink" aria-label="Link to this section"></a></h2>' in drawn("# A\n\n## B\n")


RST = """\
Lamps
=====

Use ``wick`` or `oil <there.rst>`_, never __water__; see :func:`~lamp.trim`.

.. warning:: It is hot.

   - very

.. code-block:: python
   :linenos:

   def trim():
       return 1

Parts
-----

As written::

    <raw>

=====  =====
Part   Made of
=====  =====
lens   glass
       and lead
=====  =====

.. a comment
   that nobody sees

.. math:: x^2
"""


def test_restructured_text_is_drawn() -> None:
    assert bare(drawn(RST, "a.rst", formats.RST, leads="there.rst")) == (
        '<div class="prose"><h1 id="lamps">Lamps</h1>'
        '<p>Use <code>wick</code> or <a href="/read/there.md">oil</a>, never __water__; see <code>trim</code>.</p>'
        '<div class="box care"><p class="box-title">Warning</p><p>It is hot.</p><ul><li>very</li></ul></div>'
        '<pre><code data-language="python"><span class="k">def </span><span class="f">trim</span>():\n'
        '    <span class="k">return </span><span class="n">1\n</span></code></pre>'
        '<h2 id="parts">Parts</h2><p>As written:</p><pre><code data-language="text">&lt;raw&gt;\n</code></pre>'
        '<div class="table"><table><thead><tr><th>Part</th><th>Made of</th></tr></thead><tbody>'
        "<tr><td>lens</td><td>glass and lead</td></tr></tbody></table></div>"
        '<div><code class="formula block">x^2</code></div></div>'
    )


ASCIIDOC = """\
= Lamps
:oil: whale

Burns *{oil}* oil, _always_: link:there.adoc[more].

WARNING: It is hot.

== Parts

[source,python]
----
trim()
----

* lens
** glass
* wick

|===
|Part |Made of

|lens
|glass
|===

////
nobody sees this
////
"""


def test_asciidoc_is_drawn() -> None:
    assert bare(drawn(ASCIIDOC, "a.adoc", formats.ASCIIDOC, leads="there.adoc")) == (
        '<div class="prose"><h1 id="lamps">Lamps</h1>'
        '<p>Burns <strong>whale</strong> oil, <em>always</em>: <a href="/read/there.md">more</a>.</p>'
        '<div class="box care"><p class="box-title">Warning</p><p>It is hot.</p></div>'
        '<h2 id="parts">Parts</h2><pre><code data-language="python">trim()\n</code></pre>'
        "<ul><li>lens<ul><li>glass</li></ul></li><li>wick</li></ul>"
        '<div class="table"><table><thead><tr><th>Part</th><th>Made of</th></tr></thead><tbody>'
        "<tr><td>lens</td><td>glass</td></tr></tbody></table></div></div>"
    )


@pytest.mark.parametrize(("path", "media"), [("a.rst", formats.RST), ("a.adoc", formats.ASCIIDOC)])
def test_lines_of_the_file_are_marked_in_other_formats_too(path: str, media: Media) -> None:
    source = RST if media is formats.RST else ASCIIDOC
    line = next(number for number, text in enumerate(source.splitlines(), 1) if text.startswith(("Use", "Burns")))
    assert f'<p data-lines="{line}">' in drawn(source, path, media)


HOSTILE = (
    "`` " * 60_000,
    "[[" * 90_000,
    "|" * 150_000,
    "\n".join(" " * depth + "term" for depth in range(800)),
    "\n".join(" " * depth + ".. note::" for depth in range(600)),
    "\n".join("* " * 3 + "x" for _ in range(20_000)),
    ".. code::\n\n" * 12_000,
    "====\n" * 30_000,
    "::: note\n" * 15_000,
    '!!! note "' + "a" * 150_000,
    "{{< note " + 'x="' * 40_000,
    "`:" * 70_000,
    "|===\n" + "|a\n" * 40_000,
    "===  ===\n" * 15_000,
    "$" * 100_000,
    "<Tabs>\n" * 15_000,
)


@pytest.mark.parametrize("path", ["a.md", "a.mdx", "a.rst", "a.adoc"])
@pytest.mark.timeout(60)
def test_hostile_documents_are_drawn_or_shown_as_they_are_written(path: str) -> None:
    media = {"rst": formats.RST, "adoc": formats.ASCIIDOC}.get(path.rpartition(".")[2], formats.MARKDOWN)
    for source in HOSTILE:
        made = drawn(source, path, media)
        assert made.startswith('<div class="p')
        assert "data-k" not in made
