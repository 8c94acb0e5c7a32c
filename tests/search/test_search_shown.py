"""What a hit shows: real documents, as the terminal prints them."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

import pinakes
from kits.trees import write_tree
from pinakes.records import Query
from pinakes.render import results_text
from pinakes.render.excerpt import excerpt

LONG = " ".join(["Nothing of it matters for the question."] * 12)
ROWS = "".join(
    f"| `option-{at}` | makes the {at}th thing work as it is described in the long manual |\n" for at in range(60)
)
TREE = {
    "hugo.md": '---\ntitle: Drain a node\n---\n\n{{< feature state >}}\n\n## {{% heading "prereq" %}}\n\n'
    'Evict every pod of the [cluster]({{< relref "/pods" >}}) first, <b>then</b> power off <!-- a secret --> slowly.\n',
    "bare.md": "# Probes\n\n## When to use it\n\n### Liveness\n\nA liveness probe restarts what hangs, and counts it."
    "\n\n### Readiness\n\nA readiness probe takes traffic away for a while.\n",
    "tabs.md": '# Install\n\n=== "Windows"\n\n    Run the zebra installer.\n\n=== "Linux"\n\n    Use your packages.\n',
    "tabs.mdx": 'import Tabs from \'@theme/Tabs\';\n\n# Setup\n\n<Tabs>\n<TabItem value="npm" label="With npm">\n\n'
    "Run the giraffe script.\n\n</TabItem>\n</Tabs>\n",
    "table.md": f"# Options\n\n| Flag | What it does |\n|------|------|\n{ROWS}"
    '| <a id="x" href="#x">`okapi`</a> | rare |\n',
    "html.md": "# Ports\n\n<table>\n<tr><th>Port</th><th>Use</th></tr>\n<tr>\n  <td>8443</td>\n  <td>pelican</td>\n"
    "</tr>\n</table>\n",
    "long.md": f"# Long page\n\n{LONG}\n\nThe walrus setting makes caching safe. It is off.\n\n{LONG}\n",
    "setext.md": "Ibis\n====\n\nKeep the ibis on, because it costs next to nothing.\n",
    "drawing.svg": '<svg xmlns="http://www.w3.org/2000/svg"><text>Flamingo service</text><text>Queue</text></svg>',
}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> pinakes.Library:
    opened = pinakes.open(write_tree(tmp_path_factory.mktemp("shown"), TREE))
    opened.sync()
    return opened


def first(library: pinakes.Library, question: str) -> list[str]:
    """The first hit as a terminal shows it."""
    found = library.search(Query(question, limit=10, abstain=False))
    return [line.strip() for line in results_text(replace(found, hits=found.hits[:1]), explain=False).splitlines()]


@pytest.mark.parametrize(
    ("question", "lines"),
    [
        (
            "evict every pod",
            [
                "1. hugo.md:7-9  Drain a node › prereq",
                "Evict every pod of the cluster first, then power off slowly.",
            ],
        ),
        ("run the zebra installer", ["1. tabs.md:1-9  Install", "Run the zebra installer.", "**Linux**"]),
        ("run the giraffe script", ["1. tabs.mdx:3-11  Setup", "Run the giraffe script."]),
        ("okapi", ["| Flag | What it does |", "| `okapi` | rare |"]),
        ("pelican", ["1. html.md:1-9  Ports", "| Port | Use", "| 8443 | pelican |"]),
        (
            "keep the ibis on",
            ["1. setext.md:1-4  Ibis", "Keep the ibis on, because it costs next to nothing."],
        ),
        ("walrus setting safe", ["The walrus setting makes caching safe. It is off."]),
        ("flamingo service", ["1. drawing.svg:1  drawing.svg", "Flamingo service", "Queue"]),
    ],
)
def test_a_hit_shows_what_a_reader_of_the_page_sees(library: pinakes.Library, question: str, lines: list[str]) -> None:
    shown = first(library, question)
    assert [line for line in lines if line not in shown] == []
    assert not any(sign in line for line in shown for sign in ("{{", "<", "import", "secret"))


def test_a_heading_is_not_said_twice(library: pinakes.Library) -> None:
    assert first(library, "keep the ibis on")[1].startswith("Keep the ibis")


def test_a_hit_begins_with_the_answer_and_not_with_its_section(library: pinakes.Library) -> None:
    (hit, *_) = library.search("walrus setting safe").hits
    assert excerpt(hit).text.startswith("The walrus setting")
    assert hit.text.startswith("# Long page")


def test_a_bare_heading_is_shown_with_the_text_below_it_and_that_only_once(library: pinakes.Library) -> None:
    found = library.search(Query("when to use it probe", limit=10)).hits
    texts = [hit.text for hit in found if hit.ref.path == "bare.md"]
    assert all("probe restarts" in text or "takes traffic" in text for text in texts)
    assert sum("A liveness probe restarts" in text for text in texts) == 1
    source = (library.root / "bare.md").read_bytes()
    assert all(source[hit.span.start : hit.span.end].decode() == hit.text for hit in found if hit.ref.path == "bare.md")


def test_every_mark_of_an_excerpt_is_a_word_of_the_question(library: pinakes.Library) -> None:
    for hit in library.search(Query("walrus zebra pelican option", limit=20, abstain=False)).hits:
        shown = excerpt(hit)
        words = {shown.text[mark.start : mark.end].lower() for mark in shown.marks}
        assert words <= {"walrus", "zebra", "pelican", "option", "options"}
