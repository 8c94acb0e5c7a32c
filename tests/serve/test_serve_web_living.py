"""Memories, commits and added documents on the page, as a plain client sees them: views, twins, and hostile words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

import pytest

pytest.importorskip("fastapi")
pytest.importorskip("nh3")

from kits.git import Repo, needs_git
from kits.page import LIBRARY, Served, served
from kits.trees import write_tree
from pinakes.library import open_library
from pinakes.records.memory import MemoryType

NAME = "/in/library"
ACT = "document.documentElement.dataset.owned='yes'"
POISON = f"<script>{ACT}</script><img src=x onerror={ACT}>"

pytestmark = needs_git


def living(folder: Path) -> str:
    """A library with commits, memories and added documents, some of them hostile; the hash of the hostile commit."""
    repo = Repo(folder)
    repo.commit("Light the lamp", LIBRARY)
    poisoned = repo.commit(
        f"Poison {POISON}\n\n## Diff\n\n```\n</code></pre>{POISON}\n\x1b[31mred\x1b[0m \u202eturned",
        {"src/lamp.py": f"# {POISON}\nprint('```')\n"},
        who=f'"><script>{ACT}</script>',
    )
    with open_library(folder) as library:
        library.sync()
        notes = library.memories
        notes.remember(
            "Wicks are trimmed at dusk, see [[guide/lamp.md#trimming-the-wick]] and [[gone.md]].",
            "Dusk",
            type=MemoryType.FACT,
            tags=["oil"],
            review_by="2020-01-01",
        )
        notes.remember(f"{POISON}\n\n[x](javascript:{ACT}) [[guide/fog.md|{POISON}]]", f"Poison {POISON}", tags=["<b>"])
        library.added.add_text(b"# Winches\n\nA winch pulls forty tonnes.", project="handbook", title=f"Winch {POISON}")
    return poisoned


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Served, str]]:
    folder = tmp_path_factory.mktemp("living") / "library"
    poisoned = living(folder)
    with served(folder) as site:
        while not json.loads(site.get(f"{NAME}/progress.json").body)["is_ready"]:
            site.get(f"{NAME}/search")
        yield site, poisoned


class _Seen(HTMLParser):
    """What in a page could act."""

    def __init__(self) -> None:
        super().__init__()
        self.acting: list[object] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        is_ours = tag != "script" or (given.get("src") or "").startswith("/static/")
        is_led = any((given.get(name) or "").strip().lower().startswith(("javascript:", "data:")) for name in given)
        if not is_ours or is_led or tag in ("iframe", "object", "embed", "style", "base", "img"):
            self.acting.append((tag, attrs))
        self.acting += [(tag, name) for name in given if name.startswith("on")]


def acting(body: str) -> list[object]:
    seen = _Seen()
    seen.feed(body)
    return seen.acting


VIEWS = (
    "memories",
    "memories?q=dusk",
    "memories?type=fact&tag=oil",
    "memories?linked_to=guide/lamp.md",
    "history",
    "history?q=lamp",
    "history?file=src/**&author=script&after=2026-01-01",
    "read/memories:dusk.md",
    "read/history:{hash}",
    "files",
    "search?q=wick&corpus=all",
)


@pytest.mark.parametrize("view", VIEWS)
def test_every_view_is_a_page_under_the_policy_and_has_a_twin(site: tuple[Served, str], view: str) -> None:
    asked = f"{NAME}/{view.format(hash=site[1])}"
    answer = site[0].get(asked)
    assert answer.status == 200
    assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "<style" not in answer.body
    assert acting(answer.body) == []
    assert not set("\x1b\u202e") & set(answer.body)
    twin = answer.body.partition('type="application/json" href="')[2].partition('"')[0].replace("&amp;", "&")
    told = site[0].get(twin)
    assert told.status == 200
    assert json.loads(told.body)


def test_memories_are_listed_with_marks_counts_and_what_they_speak_of(site: tuple[Served, str]) -> None:
    body = site[0].get(f"{NAME}/memories").body
    assert 'href="/in/library/read/memories:dusk.md"' in body
    assert 'href="/in/library/read/guide/lamp.md#trimming-the-wick"' in body
    assert ">due<" in body
    assert "1 loose" in body
    assert 'href="/in/library/memories?type=fact"' in body
    assert 'href="/in/library/memories?tag=oil"' in body
    assert "2 memories of 2" in body
    assert "Dusk" not in site[0].get(f"{NAME}/memories?type=plan").body
    assert "1 memory of 2" in site[0].get(f"{NAME}/memories?linked_to=guide/lamp.md").body
    assert site[0].get(f"{NAME}/memories?type=rumour").status == 422


def test_a_memory_is_read_like_a_document_with_its_links_alive(site: tuple[Served, str]) -> None:
    body = site[0].get(f"{NAME}/read/memories:dusk.md").body
    text = body.partition('class="prose"')[2].partition("</article>")[0]
    assert 'href="/in/library/read/guide/lamp.md#trimming-the-wick"' in text
    assert "<b>due</b>" in body
    assert 'href="/in/library/memories">memories</a> / ' in body
    told = json.loads(site[0].get(f"{NAME}/read/memories:dusk.md.json").body)
    assert told["memory"]["id"] == "dusk"


def test_a_document_says_what_is_remembered_of_it(site: tuple[Served, str]) -> None:
    body = site[0].get(f"{NAME}/read/guide/lamp.md").body
    assert "Remembered 1" in body
    assert 'href="/in/library/read/memories:dusk.md">Dusk</a>' in body
    assert "Remembered" not in site[0].get(f"{NAME}/read/spec/signals.md").body
    hits = site[0].get(f"{NAME}/search?q=trim+the+wick").body
    assert 'href="/in/library/memories?linked_to=guide%2Flamp.md"' in hits
    assert ">1 memory<" in hits


def test_commits_are_shown_newest_first_and_one_with_its_difference(site: tuple[Served, str]) -> None:
    body = site[0].get(f"{NAME}/history").body
    assert body.index(f"read/history:{site[1]}") < body.index("Light the lamp")
    assert "2 commits, the newest first" in body
    whole = site[0].get(f"{NAME}/read/history:{site[1]}").body
    assert 'class="line added"' in whole
    assert "src/lamp.py" in whole
    assert site[0].get(f"{NAME}/read/history:{site[1][:8]}").headers["location"].endswith(site[1])
    assert site[0].get(f"{NAME}/read/history:{'0' * 40}").status == 404
    assert site[0].get(f"{NAME}/history?after=soon").status == 422


def test_corpora_can_be_chosen_and_hits_say_theirs(site: tuple[Served, str]) -> None:
    body = site[0].get(f"{NAME}/search?q=winch&corpus=added").body
    assert '<option value="memories">memories</option>' in body
    assert '<option value="added" selected>added</option>' in body
    assert "chip kind corpus" in body
    assert "/read/added:handbook/" in body
    assert "forty" in site[0].get(f"{NAME}/search?q=winch&project=handbook").body
    assert site[0].get(f"{NAME}/search?q=winch&project=../x").status == 422
    assert site[0].get(f"{NAME}/search?q=winch&corpus=nothing").status == 404
    assert "handbook (1)" in site[0].get(f"{NAME}/files").body


@pytest.mark.parametrize(
    "path",
    ["memories:../README.md", "memories:.trash/x.md", "added:../library.db", "history:../x", "memories:", "added:x"],
)
def test_tricks_with_corpora_lead_nowhere(site: tuple[Served, str], path: str) -> None:
    assert site[0].get(f"{NAME}/read/{path}").status in (400, 404)


def test_a_folder_without_commits_or_memories_says_so(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "library", LIBRARY)
    with served(root) as site:
        while not json.loads(site.get(f"{NAME}/progress.json").body)["is_ready"]:
            site.get(f"{NAME}/search")
        assert "There is no history here" in site.get(f"{NAME}/history").body
        assert site.get(f"{NAME}/history.json").status == 404
        assert "Nothing is remembered yet" in site.get(f"{NAME}/memories").body
        assert '<option value="history"' not in site.get(f"{NAME}/search").body
        assert not (root / ".memories").exists()
