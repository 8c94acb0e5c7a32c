"""Servers of one database: what anybody writes there is news to the clients of each."""

from __future__ import annotations

from pathlib import Path

import pytest

from kits.http import PAGES, Comparisons, serving
from kits.store import entry, postgres_store, put
from kits.trees import write_tree


@pytest.mark.parametrize(("workers", "watching"), [("1", "--no-watch"), ("2", "--watch")])
def test_an_open_stream_hears_of_what_another_process_writes(tmp_path: Path, workers: str, watching: str) -> None:
    name = f"heard by {workers}"
    other = postgres_store(name)
    root = write_tree(tmp_path / "docs", PAGES)
    environment = {"PINAKES_STORE_LIBRARY": name, "PINAKES_WORKERS": workers}
    options = ("--store", other.database.url, watching)
    with serving(root, token="a-token-of-this-test", options=options, environment=environment) as server:
        assert server.get("/search", query="high water").json["hits"]
        events = Comparisons(server)
        other.write(put(entry("new.md")))
        while "new.md" not in events.until_changed():
            pass
        events.close()
