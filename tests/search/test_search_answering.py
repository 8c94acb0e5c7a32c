"""What answers comes before what only mentions: change logs and lists of links, unless they are asked for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import pinakes
from kits.trees import write_tree
from pinakes import Library
from pinakes.records import Query

TREE = {
    "CHANGELOG.md": "# Changes\n\nOf every release.\n\n"
    + "".join(f"## v1.{number}.0\n\n- websocket: fix {number} of the websocket proxy\n\n" for number in range(5)),
    "guide/websocket.md": "# Exposing websocket services\n\nA websocket needs no setting; the proxy passes the upgrade "
    "on and keeps the connection open for as long as both sides want it.\n\n## What's next\n\n- [Websocket](other.md)\n"
    "- [Websocket timeouts](../times.md)\n",
    "guide/other.md": "# Queues\n\nOf letters.\n",
    "times.md": "# Timeouts\n\nOf trains.\n",
} | {f"fill/{number}.md": f"# Subject {number}\n\nNothing to see in {number}.\n" for number in range(12)}


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    with pinakes.open(write_tree(tmp_path_factory.mktemp("library"), TREE)) as opened:
        opened.sync()
        yield opened


def lifts(library: Library, question: str, path: str) -> set[float]:
    """The factors by which the hits in a document were moved."""
    hits = library.search(Query(question, limit=30)).hits
    votes = [vote for hit in hits if str(hit.ref).startswith(f"docs:{path}") for vote in hit.votes]
    return {vote.score for vote in votes if vote.retriever == "answering"}


def test_change_logs_and_lists_of_links_count_less(library: Library) -> None:
    assert lifts(library, "websocket", "CHANGELOG.md") == {0.8}
    assert lifts(library, "websocket", "guide/websocket.md#whats-next") == {0.8}
    assert lifts(library, "websocket", "guide/websocket.md#exposing") == set()
    assert library.search("websocket").hits[0].ref.path == "guide/websocket.md"


@pytest.mark.parametrize("question", ["websocket changelog", "what changed for the websocket", "websocket v1.3.0"])
def test_who_asks_for_changes_gets_them(library: Library, question: str) -> None:
    assert lifts(library, question, "CHANGELOG.md") == set()
    assert library.search(question).hits[0].ref.path == "CHANGELOG.md"
