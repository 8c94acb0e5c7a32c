"""How each form of link is rewritten: letter by letter, in the manner in which it was written."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from pinakes.errors import BadMove

VAULT: dict[str, str | bytes] = {
    "guide/auth.md": "# Authentication\n\n## Tokens\n\n## Tokens\n\n## Keys {#keys}\n",
    "guide/my pic.png": b"x",
    "other/auth-old.md": "# Old\n",
}

DRAWING = '<svg xmlns="http://www.w3.org/2000/svg"><a href="auth.md"><text>x</text></a></svg>'


def moved(tmp_path: Path, text: str, old: str, new: str, path: str = "guide/page.md") -> str:
    """The text of a page after a move."""
    with pinakes.open(write_tree(tmp_path / "vault", {**VAULT, path: text})) as library:
        plan = library.plan_move(old, new)
        assert plan.notes == ()
        library.apply(plan)
        place = library.root / (new if path == old else path)
        return place.read_bytes().decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[a](auth.md)", "[a](../manual/login.md)"),
        ("[a](./auth.md#tokens)", "[a](../manual/login.md#tokens)"),
        ('[a](auth.md?x=1&y=2#tokens "A (title)")', '[a](../manual/login.md?x=1&y=2#tokens "A (title)")'),
        ("[a]( <auth.md>\n 'title' )", "[a]( <../manual/login.md>\n 'title' )"),
        ("[a](auth)", "[a](../manual/login)"),
        ("[a](auth.html#keys)", "[a](../manual/login.html#keys)"),
        ("[a](/guide/auth.md)", "[a](/manual/login.md)"),
        ("[a](guide/auth.md)", "[a](manual/login.md)"),
        ("[a](au\\th.md)", "[a](au\\th.md)"),
        ("[a](&#97;uth.md)", "[a](../manual/login.md)"),
        ("[![i](my%20pic.png)](auth.md)", "[![i](my%20pic.png)](../manual/login.md)"),
        ("[a][b]\n\n[b]: auth.md 'title'", "[a][b]\n\n[b]: ../manual/login.md 'title'"),
        ("[b]\n\n[b]:\n  <auth.md>", "[b]\n\n[b]:\n  <../manual/login.md>"),
        ("> [b][]\n>\n> [b]: auth.md#tokens-1", "> [b][]\n>\n> [b]: ../manual/login.md#tokens-1"),
        ("[b]\n\n```\n[b]: auth.md\n```\n\n[b]: auth.md", "[b]\n\n```\n[b]: auth.md\n```\n\n[b]: ../manual/login.md"),
        ('<a title="auth.md" href="auth.md#keys">x</a>', '<a title="auth.md" href="../manual/login.md#keys">x</a>'),
        (
            "<a href='auth.md'>x</a> <a href=auth.md>y</a>",
            "<a href='../manual/login.md'>x</a> <a href=../manual/login.md>y</a>",
        ),
        ("[[auth]] [[auth#Tokens|t]] ![[auth]]", "[[login]] [[login#Tokens|t]] ![[login]]"),
        (
            "[[guide/auth]] [[guide/auth.md]] [[Authentication]]",
            "[[manual/login]] [[manual/login.md]] [[Authentication]]",
        ),
        ("| a |\n|---|\n| [[auth\\|t]] |", "| a |\n|---|\n| [[login\\|t]] |"),
        ("see `auth.md` and guide/auth.md", "see `../manual/login.md` and manual/login.md"),
        ("`[a](auth.md)` and \\[[auth]]", "`[a](auth.md)` and \\[[auth]]"),
        (
            "[x](gone.md) [y](https://a.b/auth.md) [z](auth.md#gone)",
            "[x](gone.md) [y](https://a.b/auth.md) [z](../manual/login.md#gone)",
        ),
        ("---\nrelated: [auth.md, '[[auth]]']\n---\n", "---\nrelated: [../manual/login.md, '[[login]]']\n---\n"),
        (
            '---\nrelated:\n  - "[A](auth.md)"\ntitle: auth.md\n---\n',
            '---\nrelated:\n  - "[A](../manual/login.md)"\ntitle: auth.md\n---\n',
        ),
    ],
)
def test_links_to_a_document_that_moves(tmp_path: Path, before: str, after: str) -> None:
    assert moved(tmp_path, before, "guide/auth.md", "manual/login.md") == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("![i](my%20pic.png)", "![i](../img/a%20%281%29.png)"),
        ("![i](<my pic.png>)", "![i](<../img/a %281%29.png>)"),
        ('<img alt="my pic.png" src="my pic.png">', '<img alt="my pic.png" src="../img/a %281%29.png">'),
        (
            "<img src='x.png' srcset='my%20pic.png 2x, x.png 1x'>",
            "<img src='x.png' srcset='../img/a%20%281%29.png 2x, x.png 1x'>",
        ),
        ("<p style=\"background: url('my pic.png')\">", "<p style=\"background: url('../img/a %281%29.png')\">"),
        ("---\nimage: my pic.png\n---\n", "---\nimage: ../img/a (1).png\n---\n"),
        (
            "---\ncover:\n  src: my pic.png\nalt: my pic.png\n---\n",
            "---\ncover:\n  src: ../img/a (1).png\nalt: my pic.png\n---\n",
        ),
        ("![[my pic.png]]", "![[a (1).png]]"),
    ],
)
def test_links_to_an_image_that_moves(tmp_path: Path, before: str, after: str) -> None:
    assert moved(tmp_path, before, "guide/my pic.png", "img/a (1).png") == after


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("p.rst", ".. include:: auth.md\n", ".. include:: ../a & (b)/x y.md\n"),
        ("p.rst", ".. literalinclude:: auth.md\n", ".. literalinclude:: ../a & (b)/x y.md\n"),
        ("p.rst", "`t <auth.md>`_\n", "`t <../a%20&%20%28b%29/x%20y.md>`_\n"),
        ("p.rst", ".. image:: auth.md\n", ""),
        ("p.adoc", "include::auth.md[]\n", ""),
        ("p.adoc", "link:auth.md[x]\n", "link:../a%20&%20%28b%29/x%20y.md[x]\n"),
        ("p.org", "[[file:auth.md]]\n", "[[file:../a & (b)/x y.md]]\n"),
        ("p.md", "see `guide/auth.md` and guide/auth.md.\n", ""),
        ("p.md", "[a](auth.md?x=1&amp;y=2)", "[a](../a%20&amp;%20%28b%29/x%20y.md?x=1&amp;y=2)"),
        ("p.md", "[a](auth.md?x=1&y=2)", "[a](../a%20&%20%28b%29/x%20y.md?x=1&y=2)"),
        ("p.svg", DRAWING, DRAWING.replace("auth.md", "../a%20&amp;%20%28b%29/x%20y.md")),
    ],
)
def test_a_path_with_signs_is_written_as_the_format_reads_it(
    tmp_path: Path, name: str, before: str, after: str
) -> None:
    """Where no spelling would be read, the text stays and the plan says so."""
    with pinakes.open(write_tree(tmp_path, {**VAULT, f"guide/{name}": before})) as library:
        plan = library.plan_move("guide/auth.md", "a & (b)/x y.md")
        library.apply(plan)
        assert (tmp_path / "guide" / name).read_text() == (after or before)
        assert {note.partition(": ")[0] for note in plan.notes} == (set() if after else {f"guide/{name}:1"})


def test_directives_take_signs_as_they_are(tmp_path: Path) -> None:
    files = {
        **VAULT,
        "p.rst": ".. figure:: guide/my.png\n\n.. image:: guide/my.png\n",
        "p.adoc": "image::guide/my.png[] include::guide/my.png[]\n",
        "guide/my.png": b"x",
    }
    with pinakes.open(write_tree(tmp_path, files)) as library:
        library.apply(library.plan_move("guide/my.png", "img/a&(1).png"))
        for name in ("p.rst", "p.adoc"):
            assert (tmp_path / name).read_text() == str(files[name]).replace("guide/my.png", "img/a&(1).png")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("[a](auth.md) ![i](my%20pic.png)", "[a](../guide/auth.md) ![i](../guide/my%20pic.png)"),
        ("[own](#top) [self](page.md)", "[own](#top) [self](moved.md)"),
        ("[out](../../elsewhere/x.md#y)", "[out](../../elsewhere/x.md#y)"),
        ("[[auth]] [gone](gone.md) `auth.md`", "[[auth]] [gone](gone.md) `../guide/auth.md`"),
        ("---\nrelated: ./auth.md\n---\n", "---\nrelated: ../guide/auth.md\n---\n"),
    ],
)
def test_links_inside_a_document_that_moves(tmp_path: Path, before: str, after: str) -> None:
    assert moved(tmp_path, before, "guide/page.md", "other/moved.md") == after


@pytest.mark.parametrize(
    ("before", "old", "new", "after"),
    [
        (
            "[b](docs/b.md) ![p](docs/p.png) [f](x/) [h](docs/b.html#b) <img src='docs/p.png'>",
            "README.md",
            "docs/README.md",
            "[b](b.md) ![p](p.png) [f](../x/) [h](b.html#b) <img src='p.png'>",
        ),
        ("[b](docs/b.md)", "README.md", "x/README.md", "[b](../docs/b.md)"),
        ("---\nrelated: docs/b.md\n---\n", "README.md", "docs/README.md", "---\nrelated: b.md\n---\n"),
        ("see `docs/b.md` [r](/docs/b.md)", "README.md", "docs/README.md", "see `docs/b.md` [r](/docs/b.md)"),
        ("[b](b.md)", "docs/b.md", "b.md", "[b](../b.md)"),
        ("[b](docs/b.md)", "docs/b.md", "b.md", "[b](b.md)"),
    ],
)
def test_a_relative_link_stays_relative_to_its_file(
    tmp_path: Path, before: str, old: str, new: str, after: str
) -> None:
    """A path from the root is found here as well, but not by others."""
    page = "docs/page.md" if before == "[b](b.md)" else "README.md"
    files: dict[str, str | bytes] = {"docs/b.md": "# B\n", "docs/p.png": b"x", "x/c.md": "# C\n", page: before}
    with pinakes.open(write_tree(tmp_path, files)) as library:
        library.apply(library.plan_move(old, new))
        assert (tmp_path / (new if page == old else page)).read_text() == after


def test_a_link_out_of_the_root_is_written_from_the_new_folder(tmp_path: Path) -> None:
    text = moved(tmp_path, "[out](../../elsewhere/x%20y.md?q#y)", "guide/page.md", "a/b/page.md")
    assert text == "[out](../../../elsewhere/x%20y.md?q#y)"


def test_a_short_name_that_becomes_ambiguous_is_written_with_its_folder(tmp_path: Path) -> None:
    text = moved(tmp_path, "[[auth]] and [[auth#Tokens]]", "other/auth-old.md", "other/auth.md", "page.md")
    assert text == "[[guide/auth]] and [[guide/auth#Tokens]]"


def test_a_folder_takes_its_links_along(tmp_path: Path) -> None:
    page = "[sibling](auth.md) [out](../other/auth-old.md) [[auth]] ![i](my%20pic.png)\n"
    with pinakes.open(
        write_tree(tmp_path, {**VAULT, "guide/page.md": page, "a.md": "[g](guide/) [p](guide/page.md)\n"})
    ) as library:
        library.apply(library.plan_move("guide", "other/"))
        assert (tmp_path / "other/guide/page.md").read_text() == page.replace("../other/", "../")
        assert (tmp_path / "a.md").read_text() == "[g](other/guide/) [p](other/guide/page.md)\n"
        assert not (tmp_path / "guide").exists()


@pytest.mark.parametrize(
    ("old", "words", "before", "after"),
    [
        (
            "tokens",
            "API keys",
            "[a](auth.md#tokens) [b](auth.md#tokens-1) [[auth#Tokens]]",
            "[a](auth.md#api-keys) [b](auth.md#tokens) [[auth#API keys]]",
        ),
        (
            "tokens-1",
            "Größe",
            "[a](auth.md#tokens) [b](auth.md#tokens-1) [[auth#tokens-1]]",
            "[a](auth.md#tokens) [b](auth.md#größe) [[auth#größe]]",
        ),
        (
            "tokens-1",
            "Größe",
            "[b](auth.md#%74okens-1 'x') <a href='auth.md#user-content-tokens-1'>",
            "[b](auth.md#größe 'x') <a href='auth.md#user-content-größe'>",
        ),
        ("keys", "Secrets", "[a](auth.md#keys) [[auth#keys]]", "[a](auth.md#keys) [[auth#keys]]"),
        (
            "authentication",
            "Signing in",
            "[a](auth.md) [[Authentication]] [[authentication#Tokens]]",
            "[a](auth.md) [[Signing in]] [[Signing in#Tokens]]",
        ),
    ],
)
def test_links_to_a_heading_that_is_renamed(tmp_path: Path, old: str, words: str, before: str, after: str) -> None:
    with pinakes.open(write_tree(tmp_path, {**VAULT, "guide/page.md": before})) as library:
        library.apply(library.plan_rename(f"guide/auth.md#{old}", words))
        assert (tmp_path / "guide/page.md").read_text() == after


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("## Old ##\n", "## New *one* ##\n"),
        ("> ## Old {#id}\n", "> ## New *one* {#id}\n"),
        ("Old\nname\n===\n\ntext\n", "New *one*\n===\n\ntext\n"),
        ('## <a id="x"></a>Old `code`\n', '## <a id="x"></a>New *one*\n'),
        ("- ## Old\n\n  text\r\n", "- ## New *one*\n\n  text\r\n"),
    ],
)
def test_a_heading_keeps_what_stands_around_its_words(tmp_path: Path, before: str, after: str) -> None:
    with pinakes.open(write_tree(tmp_path, {"a.md": before})) as library:
        library.sync()
        anchor = library.document("a.md").sections[1].anchor
        library.apply(library.plan_rename(f"a.md#{anchor}", "New *one*"))
        assert (tmp_path / "a.md").read_bytes().decode() == after


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("a.rst", "Old\n===\n\ntext\n", "Much longer\n===========\n\ntext\n"),
        ("a.rst", "=====\n Old\n=====\n\ntext\n", "===========\n Much longer\n===========\n\ntext\n"),
        ("a.adoc", "== Old\n\ntext\n", "== Much longer\n\ntext\n"),
        ("a.org", "* TODO Old :tag:\ntext\n", "* TODO Much longer :tag:\ntext\n"),
    ],
)
def test_headings_of_other_formats(tmp_path: Path, name: str, before: str, after: str) -> None:
    with pinakes.open(write_tree(tmp_path, {name: before})) as library:
        library.apply(library.plan_rename(f"{name}#old", "Much longer"))
        assert (tmp_path / name).read_text() == after


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        (
            "guide/p.rst",
            "`t <auth.md>`_ :download:`x <auth.md>`\n",
            "`t <../manual/login.md>`_ :download:`x <../manual/login.md>`\n",
        ),
        ("guide/p.rst", "`t`_\n\n.. _t: auth.md\n", "`t`_\n\n.. _t: ../manual/login.md\n"),
        ("guide/p.rst", ".. include:: auth.md\n", ".. include:: ../manual/login.md\n"),
        (
            "guide/p.adoc",
            "xref:auth.md#keys[auth.md] link:auth.md[x]\n",
            "xref:../manual/login.md#keys[auth.md] link:../manual/login.md[x]\n",
        ),
        (
            "guide/p.org",
            "[[file:auth.md][auth.md]] [[./auth.md]]\n",
            "[[file:../manual/login.md][auth.md]] [[../manual/login.md]]\n",
        ),
        ("guide/p.txt", "see guide/auth.md and ./auth.md\n", "see manual/login.md and ../manual/login.md\n"),
        ("guide/p.svg", DRAWING, DRAWING.replace("auth", "../manual/login")),
        (
            "guide/p.mdx",
            '<Card href="auth.md" />\n\n[a](auth.md)\n',
            '<Card href="../manual/login.md" />\n\n[a](../manual/login.md)\n',
        ),
    ],
)
def test_links_in_other_formats(tmp_path: Path, name: str, before: str, after: str) -> None:
    assert moved(tmp_path, before, "guide/auth.md", "manual/login.md", name) == after


def test_edits_that_no_round_found_right_are_not_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pinakes.moves.rewrite._MOST_ROUNDS", 0)
    with pinakes.open(write_tree(tmp_path, {"a.md": "[b](b.md) [x][b]\n\n[b]: b.md\n", "b.md": "# B\n"})) as library:
        plan = library.plan_move("b.md", "c.md")
    assert plan.files == ()
    assert plan.notes == ("a.md:1: “b.md” cannot be rewritten to lead to c.md; change it by hand.",) * 2


@pytest.mark.timeout(20)
@pytest.mark.parametrize("heading", ["# a{}b {{#x}}\n", "a{}b {{#x}}\n===\n", "# a {{#x}}{}\n"])
def test_a_heading_of_endless_spaces_is_left_to_its_owner(tmp_path: Path, heading: str) -> None:
    root = write_tree(tmp_path, {"a.md": "# One\n\n" + heading.format(" " * 60_000)})
    with pinakes.open(root) as library, pytest.raises(BadMove, match="cannot be changed safely"):
        library.plan_rename("a.md#x", "Two")


@pytest.mark.timeout(60)
@pytest.mark.parametrize("ending", ["md", "rst"])
def test_definitions_are_looked_for_once_in_a_document(tmp_path: Path, ending: str) -> None:
    count = 4_000
    if ending == "md":
        text = "".join(f"[a][r{n}]\n" for n in range(count)) + "\n"
        text += "".join(f"[r{n}]: b.md?{n}\n" for n in range(count))
    else:
        text = "".join(f"`r{n}`_\n" for n in range(count)) + "\n"
        text += "".join(f".. _r{n}: b.md?{n}\n" for n in range(count))
    with pinakes.open(write_tree(tmp_path, {f"a.{ending}": text, "b.md": "# B\n"})) as library:
        assert library.plan_move("b.md", "c.md").edits == count
