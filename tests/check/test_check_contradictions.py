"""Places that say the same thing with another value, and the many that only look as if they did."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pinakes
from kits.linked import shelf
from kits.trees import write_tree
from pinakes.check import Code, Finding, check
from pinakes.parse import parse
from pinakes.records import DOCS, Document, Raw, Ref, Stamp, formats

_MEDIA = {".md": formats.MARKDOWN, ".txt": formats.TEXT, ".svg": formats.SVG}


def documents(pages: Mapping[str, str]) -> list[Document]:
    return [
        parse(Raw(Stamp(Ref(DOCS, path), "1", _MEDIA[PurePosixPath(path).suffix]), text.encode(), path))
        for path, text in pages.items()
    ]


def contradictions(pages: Mapping[str, str]) -> list[Finding]:
    return [found for found in check(shelf(*documents(pages)), DOCS) if found.code is Code.CONTRADICTION]


PORTS = {
    "README.md": "# Tool\n\n## Quick start\n\nThe server listens on port 8080 by default.\n",
    "guide/config.md": "# Configuration\n\nBy default, the server\nlistens on port 9090. It is quick.\n",
}


def test_a_default_that_differs_is_a_warning_that_cites_both_places() -> None:
    (found,) = contradictions(PORTS)
    assert (found.severity, str(found.ref), found.line) == ("warning", "docs:README.md#quick-start", 5)
    assert found.message == (
        "“The server listens on port 8080 by default” here,"
        " but “… the server listens on port 9090” in guide/config.md:3"
    )
    assert found.other is not None
    assert (str(found.other.ref), found.other.line) == ("docs:guide/config.md#configuration", 3)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Requires Python 3.9 or newer.", "Requires Python 3.11 or later."),
        ("Uploads are limited to 25 MB per file.", "Uploads are limited to 100 MB per file."),
        ("Uploads are limited to 25MB per file.", "Uploads are limited to 25GB per file."),
        ("The cache of the proxy defaults to `true`.", "The cache of the proxy defaults to `false`."),
        ("Compression of answers is disabled by default.", "Compression of answers is enabled by default."),
        (
            "A session expires after **30** minutes of silence.",
            "A [session](a.md) expires after 20 minutes of silence.",
        ),
        ("- Workers restart after 1,000 requests\n", "Workers restart after 500 requests."),
        ("| Maximum length of a name | 64 |", "| Maximum length of a name | 128 |"),
    ],
)
def test_one_sentence_with_two_values_is_found_in_two_documents(one: str, other: str) -> None:
    # Lists and tables take their subject from the heading above them, so the heading is the same.
    assert (
        len(contradictions({"a.md": f"# Tool\n\n## Limits\n\n{one}\n", "b.md": f"# Use\n\n## Limits\n\n{other}\n"}))
        == 1
    )


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Uploads are limited to 1,000 files each.", "Uploads are limited to 1000 files each."),
        ("Uploads are limited to 1.000 files each.", "Uploads are limited to 1,000 files each."),
        ("Requires Python 3.9+ on every machine.", "Requires Python >=3.9 on every machine."),
        ("Requires Python 3 on every machine.", "Requires Python 3.11 on every machine."),
        ("Waits for 2.0 seconds between tries.", "Waits for 2 seconds between tries."),
    ],
)
def test_a_value_written_in_another_way_is_the_same_value(one: str, other: str) -> None:
    assert contradictions({"a.md": f"# Tool\n\n{one}\n", "b.md": f"# Use\n\n{other}\n"}) == []


def test_a_default_in_prose_is_compared_with_the_one_in_a_table() -> None:
    table = "| option | what it does | default |\n|---|---|---|\n| `--timeout SECONDS` | how long to wait | `30` |\n"
    prose = "With `--timeout` you say how long the client should wait for an answer (default: 60).\n"
    (found,) = contradictions({"cli.md": f"# Commands\n\n{table}", "README.md": f"# Tool\n\n{prose}"})
    assert found.message == "--timeout defaults to “60” here, but --timeout defaults to “30” in cli.md:5"
    assert len(contradictions({"README.md": f"# Tool\n\n## Use\n\n{prose}\n## Options\n\n{table}"})) == 1
    assert contradictions({"cli.md": f"# Commands\n\n{table}", "README.md": prose.replace("60", "30")}) == []


def test_options_that_share_only_their_name_are_two_options() -> None:
    row = "| option | what it does | default |\n|---|---|---|\n| `{}` | {} | {} |\n"
    assert not contradictions(
        {
            "serve.md": "# serve\n\n" + row.format("--size", "workers kept ready", 4),
            "image.md": "# image\n\n" + row.format("--size", "pixels of a side", 300),
        }
    )
    assert not contradictions(  # names without dashes belong to their function
        {
            "cache.md": "# Cache\n\n" + row.format("size", "how many entries to keep", 4),
            "pool.md": "# Pool\n\n" + row.format("size", "how many entries to keep", 8),
        }
    )


def test_the_rarer_value_is_the_one_reported() -> None:
    says = "A token of the service is valid for {} hours.\n"
    pages = {name: f"# {name}\n\n{says.format(hours)}" for name, hours in (("a.md", 8), ("b.md", 12), ("c.md", 8))}
    (found,) = contradictions(pages)
    assert (found.ref.path, found.other and found.other.ref.path) == ("b.md", "a.md")


SAYS = "The service keeps a backup for {} days.\n"
SILENT = {
    "change logs": {
        "CHANGELOG.md": "# Changes\n\n## New\n\n" + SAYS.format(30),
        "guide.md": "# Guide\n\n" + SAYS.format(60),
    },
    "release headings": {
        "guide.md": "# Guide\n\n## 1.2.0\n\n" + SAYS.format(30) + "\n## 1.3.0\n\n" + SAYS.format(60),
    },
    "dated news": {
        "blog/2023-01-02-backups.md": "# Backups\n\n" + SAYS.format(30),
        "guide.md": "# Guide\n\n" + SAYS.format(60),
    },
    "dates": {
        "a.md": "# One\n\nThe service was last changed on 3 March 2023 by its keepers.\n",
        "b.md": "# Two\n\nThe service was last changed on 3 March 2024 by its keepers.\n",
    },
    "editions of a page": {
        "v1/guide.md": "# Guide\n\n" + SAYS.format(30),
        "v2/guide.md": "# Guide\n\n" + SAYS.format(60),
    },
    "translations": {
        "en/guide.md": "# Guide\n\n" + SAYS.format(60),
        "de/guide.md": "# Guide\n\n" + SAYS.format(30),
    },
    "a translation beside its page": {
        "README.md": "# Tool\n\n" + SAYS.format(60),
        "README.zh-CN.md": "# Tool\n\n" + SAYS.format(30),
    },
    "pages of one template": {
        "rest/teams.md": "# Teams\n\n## Limits\n\nA request can hold up to 5 things at once.\n\n## Errors\n",
        "rest/users.md": "# Users\n\n## Limits\n\nA request can hold up to 9 things at once.\n\n## Errors\n",
    },
    "other objects": {
        "teams.md": "# Teams\n\nAn organization can have a maximum of 5 teams.\n",
        "repositories.md": "# Repositories\n\nAn organization can have a maximum of 500 repositories.\n",
    },
    "lists with counters": {
        "guide.md": "# Guide\n\n- Read the next 16 bits as a number\n- Read the next 64 bits as a number\n",
    },
    "parallel lists": {
        "plans.md": "# Plans\n\n## Free\n\n- 500 minutes of machine time\n\n## Pro\n\n- 3000 minutes of machine time\n",
    },
    "tables of versions": {
        "versions.md": "# Table\n\n" + "".join(f"| Works with Python on Windows | 3.{at} |\n" for at in (9, 10)),
        "more.md": "# More\n\n| Works with Python on Windows | 3.11 |\n",
    },
    "numbered steps": {
        "a.md": "# One\n\n1. Open the settings of the project\n\nGo on with step 3 of the guide for new users.\n",
        "b.md": "# Two\n\n2. Open the settings of the project\n\nGo on with step 4 of the guide for new users.\n",
    },
    "what this refers to": {
        "a.md": "# One\n\nThis setting is kept for 30 days on disk.\n",
        "b.md": "# Two\n\nThis setting is kept for 60 days on disk.\n",
    },
    "examples": {
        "a.md": "# One\n\nFor example, set the width of the left column to 20 pixels.\n",
        "b.md": "# Two\n\nFor example, set the width of the left column to 40 pixels.\n",
    },
    "code": {
        "a.md": "# One\n\n```\nThe server listens on port 80 by default.\n```\n",
        "b.md": "# Two\n\n```\nThe server listens on port 90 by default.\n```\n",
    },
    "addresses and targets": {
        "a.md": "# One\n\nRead [all about limits of the service](x.md#3) or https://example.org/v1/limits today.\n",
        "b.md": "# Two\n\nRead [all about limits of the service](x.md#4) or https://example.org/v2/limits today.\n",
    },
    "conditional text": {
        "a.md": "# One\n\nThe service keeps {% if cloud %}10{% else %}20{% endif %} backups or 5 copies.\n",
        "b.md": "# Two\n\nThe service keeps {% if cloud %}10{% else %}20{% endif %} backups or 6 copies.\n",
    },
    "frontmatter": {
        "a.md": "---\ntitle: One\nweight of this page in menus: 3\n---\nText.\n",
        "b.md": "---\ntitle: Two\nweight of this page in menus: 4\n---\nText.\n",
    },
    "a sentence with many values": {
        f"{name}.md": f"# About {name}\n\nThe widest drawing has {at} pixels.\n" for at, name in enumerate("abcdef", 3)
    },
}


@pytest.mark.parametrize(
    "sentence",
    [
        SAYS,
        "A request can hold up to {} things at once.",
        "- Read the next {} bits as a number",
        "| Works with Python on Windows | {} |",
        "Set the width of the left column to {} pixels.",
        "All settings are kept for {} days on disk.",
        "The service keeps {} backups or copies.",
        "The widest drawing has {} pixels.",
    ],
)
def test_the_sentences_below_do_contradict_when_nothing_explains_them(sentence: str) -> None:
    pages = {f"{title}.md": f"# {title}\n\n## Facts\n\n{sentence.format(at)}\n" for at, title in enumerate("ab", 3)}
    assert len(contradictions(pages)) == 1


@pytest.mark.parametrize("pages", SILENT.values(), ids=SILENT)
def test_what_only_looks_alike_is_no_contradiction(pages: Mapping[str, str]) -> None:
    assert contradictions(pages) == []


def test_copies_of_a_page_that_drifted_apart_are_found() -> None:
    page = "# Guide\n\n## Backups\n\n- kept for {} days\n- made at night\n\n## Errors\n\nThere are none.\n"
    (found,) = contradictions({"docs/guide.md": page.format(30), "site/guide.md": page.format(60)})
    assert (found.ref.path, found.line) == ("docs/guide.md", 5)
    assert found.message == "“kept for 30 days” here, but “kept for 60 days” in site/guide.md:5"


_SENTENCES = (
    "The server keeps {} open files.",
    "- waits {} seconds for an answer",
    "`--max-age` says how old (default: {})",
)
_PAGES = st.dictionaries(
    st.sampled_from(("a.md", "b/c.md", "b/d.md", "e.md")),
    st.lists(st.tuples(st.sampled_from(("One", "Two")), st.sampled_from(_SENTENCES), st.integers(1, 3)), max_size=4),
)


@settings(max_examples=60, deadline=None)
@given(_PAGES, st.randoms(use_true_random=False))
def test_the_order_of_documents_does_not_matter(pages: dict[str, list[tuple[str, str, int]]], chance: Random) -> None:
    made = documents(
        {
            path: "".join(f"# {title}\n\n{sentence.format(value)}\n\n" for title, sentence, value in parts)
            for path, parts in pages.items()
        }
    )
    shuffled = list(made)
    chance.shuffle(shuffled)
    assert check(shelf(*made), DOCS) == check(shelf(*shuffled), DOCS)


def test_a_check_after_edits_finds_what_a_fresh_one_finds(tmp_path: Path) -> None:
    root, chance = write_tree(tmp_path / "root", PORTS), Random(4)
    names = [*PORTS, "a.md", "b/c.md"]
    with pinakes.open(root) as library:
        for step in range(12):
            page = root / chance.choice(names)
            if page.exists() and chance.random() < 0.3:
                page.unlink()
            else:
                text = chance.choice(list(PORTS.values())).replace("8080", str(chance.randrange(8078, 8082)))
                write_tree(root, {str(page.relative_to(root)): f"{text}\nStep {step}.\n"})
            library.sync()
            with pinakes.open(root, {"store": tmp_path / f"store-{step}"}) as fresh:
                fresh.sync()
                assert library.check() == fresh.check()
