"""Files made to break their reader. Each costs little, each is taken in or refused by name, and the good file beside
them is always there.

The promise is two seconds of processor time for a file. A few files share a run here, so they get what they are due
together: a hang or a square law ends the run, and a slow machine does not.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import pytest

from kits.hostile import SECRET, Wish, mapped, no_secret_in, pinakes, pinakes_here, synced
from kits.trees import write_tree

MANY = 20_000

OPENERS = (
    *("[", "![", "*", "_", "**", "`", "``", "<", "<!--", "[[", "![[", ">", "> ", "- ", "+ ", "1. ", "|", "||", "$"),
    *("$$", "~~", "#", "&", "(", "](", "{", "---\n", ":::", "[^", "> - ", "<a href='", "<a id=", "http://", "www."),
    *("a@", "a/", "a/.", " #a", " ^a", "[[a]]", "# a\n", "#\n", "a\n===\n", "|a|\n|-|\n", "<A b={", "{/*", "'"),
    *("import {\n", "`a.b/`", "%%[[a]]", "\r", "\x00", "\t", "\\", "<?", "<![CDATA[", "<div>", "</div>", "```\n"),
    *("~~~\n", "[a]: b\n", "[a][", "[a](b)", "[^a]: b\n", "&amp;", "[x]: <", "a.md ", "[[a#b|c]]", "- [ ] a\n"),
    *("\u202e", "\ufeff", "字", "\n", "==", "    a\n", "a\r\n", '<a b="', "{#a}", "# a {#a}\n", "%%", "<!-- -->"),
    *("<script>", "<pre>", "$a$", "***", '"'),
)


def _openers(first: int, step: int) -> dict[str, bytes]:
    return {f"{at}.md": (opener * MANY).encode() for at, opener in enumerate(OPENERS) if at % step == first}


def _mixed() -> dict[str, bytes]:
    chance = random.Random(5)
    return {f"{at}.md": "".join(chance.choices(OPENERS, k=MANY)).encode() for at in range(3)} | {
        "few.md": "".join(chance.choices(("[", "](", "*", "`", "<", "![[", "\n"), k=3 * MANY)).encode()
    }


def _piles() -> dict[str, bytes]:
    return {
        "quotes.md": b">" * 10_000 + b" a\n" + (b">" * 10_000 + b" a\n") * 20,
        "lazy.md": b"> " * 10_000 + b"a\n" + b"a\n" * 20_000,
        "lists.md": b"- " * 10_000 + b"a\n",
        "steps.md": b"".join(b"  " * depth + b"- a\n" for depth in range(1500)),
        "items.md": b"- " * 10_000 + b"a\n" + b"\n" * 20_000,
        "brackets.md": b"[" * MANY + b"](a)" * MANY,
        "fences.md": b" ".join(b"`" * length for length in range(1, 400)),
        "table.md": b"|a" * 500 + b"|\n" + b"|-" * 500 + b"|\n" + b"|\n" * 5000,
        "anchors.md": b"# a\n# a-1\n" * 10_000,
    }


def _headings() -> dict[str, bytes]:
    return {"headings.md": b"# Overview\n" * 100_000}


def _long() -> dict[str, bytes]:
    return {
        "line.md": b"word and another " * 300_000,
        "word.md": b"x" * 5_000_000,
        "heading.md": b"# " + b"word " * 200_000 + b"\n\n[a](nowhere.md)\n",
        "han.md": "字".encode() * 500_000,
        "numbers.md": b" ".join(b"w%x" % (at * 7919) for at in range(200_000)),
    }


def _links() -> dict[str, bytes]:
    return {
        "links.md": b"".join(b"[a%d](f%d.md#s%d)\n" % (at, at, at) for at in range(50_000)),
        "same.md": b"[a](f.md) [[g]] ![h](i.png)\n" * 3000,
    }


def _metadata() -> dict[str, bytes]:
    laughs = b"".join(b"%c: &%c [%s]\n" % (98 + at, 98 + at, b",".join([b"*%c" % (97 + at)] * 9)) for at in range(20))
    merged = b"".join(b"a%d: &a%d {<<: [%s]}\n" % (at, at, b",".join([b"*a%d" % (at - 1)] * 6)) for at in range(1, 25))
    blocks = {
        "laughs": b"a: &a [lol, lol]\n" + laughs,
        "merge": b"a0: &a0 {x: 1}\n" + merged,
        "deep": b"a: " + b"[" * 50_000,
        "deeper": b"".join(b" " * depth + b"a:\n" for depth in range(2000)),
        "dashes": b"a: " + b"- " * 50_000,
        "wide": b"".join(b"k%d: v\n" % at for at in range(20_000)),
        "object": b"a: !!python/object/apply:os.system ['touch canary']\n",
        "new": b"a: !!python/object/new:subprocess.Popen [['touch', 'canary']]\n",
        "module": b"a: !!python/module:canary\n",
        "cycle": b"a: &a [*a]\n",
        "binary": b"title: !!binary aGVsbG8=\ntags: !!set {a, b}\n",
        "number": b"a: " + b"9" * 20_000 + b"\nb: 1e999999999\nc: 0x" + b"f" * 20_000 + b"\n",
        "date": b"title: 9999-99-99\ndate: 2020-13-45T99:99:99Z\n",
        "control": b"title: a\x00b\x1b[31m\n",
        "colons": b": : : :\n" * 5000,
        "quotes": b"a: '" + b"''" * 20_000 + b"\n",
    }
    files = {f"{name}.md": b"---\n" + block + b"---\n# Text\n" for name, block in blocks.items()}
    return files | {
        "dotted.md": b"+++\n" + b"a." * 20_000 + b"b = 1\n+++\n# Text\n",
        "nested.md": b"+++\na = " + b"[" * 20_000 + b"\n+++\n# Text\n",
        "open.md": b"---\n" + b"a: b\n" * 20_000,
    }


def _drawings() -> dict[str, bytes]:
    laughs = b"".join(b'<!ENTITY %c "%s">' % (98 + at, b"&%c;" % (97 + at) * 10) for at in range(20))
    runs = ("<g>", '<g id="A b">', "<text>", "<a href='x'>", "<", "<![CDATA[", "<!--", "<?x ", "&amp;", "&", "<title>")
    files = {f"run{at}.svg": ("<svg>" + run * MANY).encode() for at, run in enumerate(runs)}
    return files | {
        "laughs.svg": b'<!DOCTYPE svg [<!ENTITY a "ha">' + laughs + b"]><svg><text>&u;</text></svg>",
        "outside.svg": b'<!DOCTYPE svg [<!ENTITY x SYSTEM "../outside/secret.md">]><svg><text>&x;</text></svg>',
        "parameter.svg": b'<!DOCTYPE svg [<!ENTITY % p SYSTEM "../outside/secret.md"> %p;]><svg><text>a</text></svg>',
        "subset.svg": b'<!DOCTYPE svg SYSTEM "../outside/secret.md"><svg><text>a</text></svg>',
        "groups.svg": b"<svg>" + b'<g id="A group">' * 200_000 + b"<text>x</text>" + b"</g>" * 200_000 + b"</svg>",
        "names.svg": b"<svg " + b" ".join(b'xmlns:n%d="urn:%d"' % (at, at) for at in range(20_000)) + b"/>",
        "attributes.svg": b"<svg><g " + b" ".join(b'a%d="b"' % at for at in range(50_000)) + b"/></svg>",
        "value.svg": b'<svg><g id="' + b"a" * 3_000_000 + b'"><text>x</text></g></svg>',
        "utf7.svg": b'<?xml version="1.0" encoding="utf-7"?><svg><text>+ADw-</text></svg>',
        "script.svg": b"<svg><script>alert(1)</script><text onclick='x'>Shown</text></svg>",
    }


def _bytes() -> dict[str, bytes]:
    text = "# Überschrift\n\nEin [Link](good.md).\n"
    return {
        "broken.md": b"# A \xff\xfe\x80 \xc3\x28 \xed\xa0\x80 b\n" * 1000,
        "utf16.md": text.encode("utf-16"),
        "utf16be.md": text.encode("utf-16-be"),
        "utf32.md": text.encode("utf-32"),
        "latin.md": text.encode("latin-1"),
        "nul.md": b"# A\x00B\n\n\x00" * 1000,
        "nuls.md": b"\x00" * 1_000_000,
        "cr.md": text.replace("\n", "\r").encode(),
        "marks.md": b"\xef\xbb\xbf" * 3 + text.encode(),
        "separators.md": "# A\u2028B\u2029C\x85D\x0bE\x0cF\n".encode(),
        "noise.md": random.Random(1).randbytes(500_000),
        "noise.svg": random.Random(2).randbytes(200_000),
        "noise.rst": random.Random(3).randbytes(200_000),
        "empty.md": b"",
        "empty.svg": b"",
        "empty.org": b"",
        "blank.md": b"\n" * 500_000,
        "escapes.md": b"# \x1b[31mred\x1b[0m \x07 \xe2\x80\xae turned \xc2\x9b2J\n\n[\x1b[2J](\x1b]0;t\x07.md)\n",
    }


def _formats() -> dict[str, bytes]:
    runs = {
        "rst": ("a\n=\n", "`a <", ":ref:`", ".. x::\n", "::\n\n  a\n", "===\na\n===\n", "=", ".. _a: b\n", "`a`__ "),
        "adoc": ("= a\n", "----\n", "link:a[", "<<a,", "include::a[]\n", ":a: b\n", "[[a]]", "ifdef::a[]\n", "|==="),
        "org": ("* a\n", "*", "* ", "[[a][", "#+BEGIN_SRC\n", ":PROPERTIES:\n", "* a :b:\n", "* TODO [#A] a\n", ":a:"),
        "txt": ("http://", "a/b.md ", "\n", "A\n=\n"),
    }
    files = {f"{at}.{ending}": (run * 5000).encode() for ending, all in runs.items() for at, run in enumerate(all)}
    return files | {
        "include.rst": b"A\n=\n\n.. include:: ../outside/secret.md\n.. raw:: html\n   :file: ../outside/secret.md\n",
        "include.adoc": b"= A\n\ninclude::../outside/secret.md[]\n",
        "include.org": b'* A\n\n#+INCLUDE: "../outside/secret.md"\n',
        "embed.md": b"# A\n\n![[../outside/secret]] ![](../outside/secret.md) [a](file:///etc/passwd)\n",
    }


def _figures() -> dict[str, bytes]:
    return {"steps.rst": b"# A\n\n" + b"1. " * 150_000, "steps.adoc": b"= A\n\n" + b"1. " * 150_000}


THEMES: dict[str, Callable[[], dict[str, bytes]]] = {
    "openers, a third": lambda: _openers(0, 3),
    "openers, another third": lambda: _openers(1, 3),
    "openers, the rest": lambda: _openers(2, 3),
    "openers, mixed": _mixed,
    "piles": _piles,
    "headings": _headings,
    "long lines": _long,
    "links": _links,
    "metadata": _metadata,
    "drawings": _drawings,
    "bytes": _bytes,
    "formats": _formats,
    "figures": _figures,
}


CHECKED = ("links", "long lines", "formats", "openers, mixed", "metadata", "figures")
"""Themes with links that lead nowhere, and with much that may contradict something."""


@pytest.mark.parametrize("theme", THEMES)
def test_hostile_files_are_taken_in_and_cost_little(theme: str, tmp_path: Path) -> None:
    files = THEMES[theme]()
    write_tree(tmp_path / "outside", {"secret.md": f"# {SECRET}\n"})
    root = write_tree(tmp_path / "root", {**files, "good.md": "# A good heading\n\n[a](0.md)\n"})
    wish = Wish(cpu_s=2 * len(files) + 3)

    done = synced(root, wish=wish)
    assert sorted(done["read"]) == sorted([*files, "good.md"])
    assert done["failed"] == []
    shown = pinakes_here(root, "map", "--no-sync").both + pinakes_here(root, "read", "good.md", "--no-sync").both
    assert "A good heading" in shown
    if theme in CHECKED:
        checked = pinakes(root, "check", "--no-sync", wish=wish)
        assert checked.code in (0, 1)
        shown += checked.both
    no_secret_in(root, shown)
    assert not (root / "canary").exists()


def test_files_over_the_limit_are_refused_by_name_without_being_read(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"good.md": "# A good heading\n"})
    for name, size in (("large.md", 100_000_000), ("huge.md", 3_000_000_000)):
        with (root / name).open("wb") as file:
            file.truncate(size)

    ran = pinakes(root, "sync", wish=Wish(cpu_s=3))
    assert ran.code == 0
    assert "failed: large.md: holds more than 10,000,000 bytes. Raise max_file_bytes" in ran.out
    assert "failed: huge.md:" in ran.out
    assert "A good heading" in mapped(root)


def test_a_file_just_under_the_limit_is_read(tmp_path: Path) -> None:
    text = b"# Heading\n\n" + b"Some words about nothing much, in a paragraph of its own.\n\n" * 165_000
    root = write_tree(tmp_path, {"large.md": text, "good.md": "# A good heading\n"})

    assert sorted(synced(root, wish=Wish(cpu_s=10))["read"]) == ["good.md", "large.md"]
    assert "A good heading" in mapped(root)


def test_names_and_titles_too_long_to_compare_do_not_stop_a_check(tmp_path: Path) -> None:
    chance = random.Random(7)
    heads = ["".join(chance.choices("ab", k=4000)) for _ in range(200)]
    wrong = "".join(f"[a](#{''.join(chance.choices('ab', k=4000))})\n" for _ in range(50))
    crowd = {f"crowd/d{at}/same.md": f"# Overview\n\n[[Overview]] [[x{at}/same]]\n" for at in range(300)}
    beside = {f"beside/{'ab' * 60}{at}.md": "" for at in range(60)}
    root = write_tree(
        tmp_path,
        {
            "title.md": "# " + "word " * 50_000,
            "targets.md": "".join(f"[a]({'n' * 2000}{at}.md)\n" for at in range(500)),
            "anchors.md": "".join(f"# {head}\n" for head in heads) + wrong,
            "beside.md": "".join(f"[a](beside/{'ab' * 60}x{at}.md)\n" for at in range(500)),
            "many.md": "".join(f"# part {at}\n" for at in range(1000))
            + "".join(f"[a](#part-{at}x)\n" for at in range(2000)),
            **crowd,
            **beside,
        },
    )
    synced(root)
    ran = pinakes(root, "check", "--no-sync", wish=Wish(cpu_s=10))
    assert ran.code == 1
    assert "beside.md:1: broken-link" in ran.out
    asked = pinakes(root, "read", f"anchors.md#{'ab' * 2000}", "--no-sync", wish=Wish(cpu_s=5))
    assert asked.code == 1


def test_as_many_links_as_sections_are_checked_in_linear_time(tmp_path: Path) -> None:
    root = write_tree(tmp_path, {"pairs.md": "# H\n\n[a](x.md)\n" * 60_000})
    synced(root, wish=Wish(environment={"PINAKES_KEYWORDS_ENABLED": "false"}))
    assert pinakes(root, "check", "--no-sync", wish=Wish(cpu_s=4)).out.endswith("60000 errors, 1 warning\n")


def test_a_heading_as_long_as_a_book_is_searched_in_linear_time(tmp_path: Path) -> None:
    chance = random.Random(3)
    heading = " ".join(chance.randbytes(4).hex() for _ in range(20_000))
    root = write_tree(tmp_path, {"book.md": f"# A\n\n## {heading}\n\nThe harbour.\n", "good.md": "# Harbour\n"})
    synced(root)
    assert "good.md" in pinakes(root, "search", "harbour", "--no-sync", wish=Wish(cpu_s=8)).out
