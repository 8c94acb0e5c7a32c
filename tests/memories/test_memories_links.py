"""Where memories point, what they say about it, and what became of it since."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from pinakes.library.memories import Memories
from pinakes.records import DOCS, MEMORIES, Ref
from pinakes.records.memory import Memory, Revision

ROADMAP = "# Roadmap\n\nIntro.\n\n## Q3\n\nShip tokens.\n\n### Details\n\nSmall print.\n\n## Q4\n\nRest.\n"


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(
        tmp_path / "root",
        {
            "docs/roadmap.md": ROADMAP,
            "docs/auth.md": "---\naliases: [login]\n---\n# Authentication\n",
            "src/server.py": "x = 1\n",
            ".env": "SECRET=1\n",
        },
    )


def told(memory: Memory) -> list[str]:
    return [f"{link.relation.value} {link.to or link.outcome.value}" for link in memory.links]


def marked(memory: Memory) -> list[str]:
    return [f"{mark.kind.value} {mark.ref}" for mark in memory.marks]


@pytest.mark.parametrize(
    ("text", "relation"),
    [
        ("See [[src/server.py]].", "mentions"),
        ("We plan to rewrite [[src/server.py]] soon.", "plans"),
        ("This refactors [the server](src/server.py).", "refactors"),
        ("The login is implemented in [[src/server.py]].", "implements"),
        ("[[src/server.py]] was tested today.", "tests"),
        ("Fixed: the leak.\n\nSee [[src/server.py]].", "mentions"),
        ("We fixed the leak in [[src/server.py]]. Tests follow.", "fixes"),
        ("- fixes [[docs/auth.md]]\n- decided in [[src/server.py]]", "decides"),
        ("Refactors [[docs/auth.md]] and fixes [[src/server.py]]", "fixes"),
        ("[[docs/roadmap.md|test plan]] and [[src/server.py]]", "mentions"),
        ("It replaces [[src/server.py]].", "replaces"),
        ("## Tests\n\n[[src/server.py]]", "tests"),
    ],
)
def test_a_link_is_typed_by_the_words_around_it(root: Path, text: str, relation: str) -> None:
    with pinakes.open(root) as library:
        made = library.memories.remember(text, "T")
    links = [link for link in made.links if link.to == Ref(DOCS, "src/server.py")]
    assert [link.relation.value for link in links] == [relation]
    assert "src/server.py" in links[0].around or "the server" in links[0].around


@pytest.mark.parametrize("is_indexed", [True, False])
def test_links_lead_to_sections_files_and_memories(root: Path, *, is_indexed: bool) -> None:
    with pinakes.open(root) as library:
        if is_indexed:
            library.sync()
        library.memories.remember("first", "Other note")
        text = (
            "[[docs/roadmap.md#q3]] [[docs/roadmap#Q3]] [x](../docs/roadmap.md#details) [y](docs/auth.md) "
            "`src/server.py` [[docs:docs/auth.md]] [[other-note]] [[memories:other-note]] [[Other note]] <https://example.org/>"
        )
        made = library.memories.remember(text, "Links")
        assert [str(link.to or link.outcome.value) for link in made.links] == [
            "docs:docs/roadmap.md#q3",
            "docs:docs/roadmap.md#q3",
            "docs:docs/roadmap.md#details",
            "docs:docs/auth.md",
            "docs:src/server.py",
            "docs:docs/auth.md",
            "memories:other-note.md",
            "memories:other-note.md",
            "memories:other-note.md",
            "external",
        ]
        assert library.memories.read("links").links == made.links


def test_a_link_into_its_own_text_is_found_there(root: Path) -> None:
    with pinakes.open(root) as library:
        made = library.memories.remember("[[#Why]] [x](#why) [[#nope]]\n\n## Why\n\nBecause.", "Own")
        assert [(str(link.to), link.outcome.value) for link in made.links] == [
            ("memories:own.md#why", "found"),
            ("memories:own.md#why", "found"),
            ("memories:own.md", "broken_anchor"),
        ]


def test_names_and_aliases_are_known_from_the_index(root: Path) -> None:
    with pinakes.open(root) as library:
        library.sync()
        made = library.memories.remember("[[roadmap#q4]] [[login]] [[Authentication]]", "N")
    assert [str(link.to) for link in made.links] == ["docs:docs/roadmap.md#q4", *["docs:docs/auth.md"] * 2]


@pytest.mark.parametrize(
    ("target", "outcome"),
    [
        ("docs/nowhere.md", "missing"),
        ("docs/roadmap.md#q9", "broken_anchor"),
        ("../../../etc/passwd", "outside"),
        ("/etc/passwd", "missing"),
        (".env", "missing"),
        ("memories:../../.env", "missing"),
        ("x\x00y", "missing"),
    ],
)
def test_what_does_not_exist_or_is_not_ours_is_a_loose_end(root: Path, target: str, outcome: str) -> None:
    with pinakes.open(root) as library:
        made = library.memories.remember(f"See [[{target}]].", "T", links=[target])
        assert {link.outcome.value for link in made.links} == {outcome}
        assert made.loose_ends == made.links
        assert made.seen == {}
        (root / "docs/nowhere.md").write_text("# Now here\n")
        is_found = target == "docs/nowhere.md"
        assert all(link.is_loose is not is_found for link in library.memories.read("t").links)


def test_a_link_out_of_the_root_through_a_symlink_is_not_followed(root: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("# Secret\n")
    (root / "leak.md").symlink_to(tmp_path / "secret.md")
    with pinakes.open(root) as library:
        made = library.memories.remember("[[leak.md]] [[leak.md#secret]]", "T")
    assert (told(made), made.seen) == (["mentions missing"] * 2, {})


def test_a_memory_is_marked_when_its_section_changes_and_not_before(root: Path) -> None:
    with pinakes.open(root) as library:
        library.memories.remember("Plan for [[docs/roadmap.md#q3]]", "Plan")
        roadmap = root / "docs/roadmap.md"
        for same in (ROADMAP.replace("Rest.", "More."), ROADMAP.replace("\n", "\r\n"), ROADMAP + "\n\n## Q5\n"):
            roadmap.write_bytes(same.encode())
            assert library.memories.read("plan").marks == ()
        for other in (ROADMAP.replace("tokens", "keys"), ROADMAP.replace("Small print", "Large print")):
            roadmap.write_text(other)
            assert marked(library.memories.read("plan")) == ["verify docs:docs/roadmap.md#q3"]
        recalled = library.memories.recall("plan for").found[0].memory
        assert [mark.reason for mark in recalled.marks] == [
            f"docs/roadmap.md#q3 has changed since {recalled.date[:10]}."
        ]
        assert library.memories.update("plan", Revision(is_verified=True)).marks == ()
        assert library.memories.read("plan").marks == ()
        roadmap.write_text(ROADMAP.replace("## Q3", "## Q3 and more"))
        assert marked(library.memories.read("plan")) == ["gone docs:docs/roadmap.md#q3"]
        roadmap.unlink()
        assert marked(library.memories.read("plan")) == ["gone docs:docs/roadmap.md#q3"]


def test_whole_documents_and_files_that_are_not_read_are_compared_too(root: Path) -> None:
    (root / "big.bin").write_bytes(b"\0" * 11_000_000)
    with pinakes.open(root) as library:
        library.memories.remember("[[src/server.py]] [[docs/auth.md]] [[big.bin]]", "Three")
        assert library.memories.read("three").marks == ()
        (root / "src/server.py").write_text("x = 2\n")
        (root / "docs/auth.md").write_text("# Other\n")
        (root / "big.bin").write_bytes(b"\0" * 11_000_001)
        assert marked(library.memories.read("three")) == [
            "verify docs:src/server.py",
            "verify docs:docs/auth.md",
            "verify docs:big.bin",
        ]


def test_for_files_written_by_hand_the_first_look_counts(root: Path) -> None:
    write_tree(root, {".memories/hand.md": "About [[docs/roadmap.md#q3]].\n"})
    with pinakes.open(root) as library:
        assert library.memories.recall("about").found[0].memory.marks == ()
    write_tree(root, {"docs/roadmap.md": ROADMAP.replace("tokens", "keys")})
    with pinakes.open(root) as library:
        assert marked(library.memories.read("hand")) == ["verify docs:docs/roadmap.md#q3"]
        assert marked(library.memories.read("hand")) == ["verify docs:docs/roadmap.md#q3"]
        assert library.memories.append("hand", "More of [[src/server.py]].").seen.keys() == {
            "docs/roadmap.md#q3",
            "src/server.py",
        }
        assert marked(library.memories.read("hand")) == ["verify docs:docs/roadmap.md#q3"]
        library.memories.update("hand", Revision(text="New: [[docs/roadmap.md#q3]]."))
        assert library.memories.read("hand").marks == ()


def test_a_damaged_note_of_first_looks_is_started_anew(root: Path) -> None:
    write_tree(root, {".memories/hand.md": "About [[docs/roadmap.md#q3]].\n"})
    with pinakes.open(root) as library:
        library.memories.list()
        seen = root / ".pinakes/corpora/memories/seen.json"
        for damage in (b"", b"{", b"[]", b'{"format": 1, "files": 7}', b"\xff" * 100):
            seen.write_bytes(damage)
            assert library.memories.read("hand").marks == ()
            assert b"roadmap" in seen.read_bytes()


def test_past_its_day_a_memory_is_due(root: Path) -> None:
    today = datetime.now(UTC).date()
    with pinakes.open(root) as library:
        for name, day in (("past", today - timedelta(days=1)), ("now", today), ("later", today + timedelta(days=1))):
            library.memories.remember("x", name, review_by=day.isoformat())
        kinds = {memory.id: [mark.kind.value for mark in memory.marks] for memory in library.memories.list().memories}
        assert kinds == {"past": ["due"], "now": [], "later": []}
        assert library.memories.update("past", Revision(review_by="")).marks == ()


def test_superseded_memories_say_by_what_and_are_left_out(root: Path) -> None:
    with pinakes.open(root) as library:
        memories = library.memories
        memories.remember("Tokens live an hour", "Old")
        memories.remember("Tokens live a day", "New", supersedes=["Old"])
        assert [one.memory.id for one in memories.recall("how long do tokens live").found] == ["new"]
        found = memories.recall("how long do tokens live", archived=True).found
        assert {one.memory.id: marked(one.memory) for one in found} == {
            "new": [],
            "old": ["superseded memories:new.md"],
        }
        memories.forget("new")
        assert [one.memory.id for one in memories.recall("how long do tokens live").found] == ["old"]


def test_memories_that_supersede_each_other_hide_nothing(root: Path) -> None:
    write_tree(
        root,
        {f".memories/{one}.md": f"---\nsupersedes: [{other}]\n---\n{one}\n" for one, other in ("ab", "bc", "ca", "dd")},
    )
    with pinakes.open(root) as library:
        assert {one.memory.id for one in library.memories.recall().found} == {"a", "b", "c", "d"}


def test_documents_know_which_memories_point_at_them(root: Path) -> None:
    q3, roadmap, server = Ref(DOCS, "docs/roadmap.md", "q3"), Ref(DOCS, "docs/roadmap.md"), Ref(DOCS, "src/server.py")
    with pinakes.open(root) as library:
        assert library.memories.pointing([q3]) == {}
        library.sync()
        memories = library.memories
        memories.remember("[[docs/roadmap.md#q3]] twice [[docs/roadmap.md#q3]]", "One")
        memories.remember("[[docs/roadmap.md#q4]] and [[src/server.py]]", "Two")
        memories.remember("[[docs/roadmap.md]] [[one]]", "Three")
        every = [q3, roadmap, server, Ref(MEMORIES, "one.md"), Ref(DOCS, "docs/auth.md")]
        counts = {q3: 1, roadmap: 3, server: 1, Ref(MEMORIES, "one.md"): 1}
        assert memories.pointing(every) == counts
        assert memories.pointing(every) == counts
        assert [one.id for one in memories.about("docs/roadmap.md#q3")] == ["one"]
        assert {one.id for one in memories.about("roadmap")} == {"one", "two", "three"}
        assert {one.memory.id for one in memories.recall(linked_to="src/server.py").found} == {"two"}
        assert memories.recall("twice", linked_to="docs/roadmap.md").found[0].memory.id == "one"
        assert {one.memory.id for one in memories.recall(linked_to="memories:one").found} == {"three"}
        memories.archive("one")
        assert memories.pointing([q3, roadmap]) == {roadmap: 2}
        assert memories.recall(linked_to="docs/roadmap.md#q3").found == ()
        assert len(memories.recall(linked_to="docs/roadmap.md#q3", archived=True).found) == 1


def test_what_is_kept_of_who_points_where_follows_every_change(root: Path) -> None:
    q3 = Ref(DOCS, "docs/roadmap.md", "q3")
    steps: list[tuple[int, Callable[[Memories], object]]] = [
        (0, lambda memories: memories.remember("[[src/server.py]]", "A")),
        (1, lambda memories: memories.update("a", Revision(text="[[docs/roadmap.md#q3]]"))),
        (2, lambda memories: memories.remember("[[docs/roadmap.md#q3]]", "B")),
        (1, lambda memories: memories.forget("a")),
        (2, lambda memories: memories.restore("a")),
    ]
    for expected, change in steps:
        with pinakes.open(root) as library:
            library.sync()
            change(library.memories)
        for _ in range(2):
            with pinakes.open(root) as library:
                assert library.memories.pointing([q3]).get(q3, 0) == expected


def test_links_of_a_document_show_the_memories_that_point_at_it(root: Path) -> None:
    with pinakes.open(root) as library:
        library.sync()
        library.memories.remember("We tested [[docs/roadmap.md#q3]] with [[src/server.py]] and [[gone]].", "One")
        library.memories.remember("See [[one]].", "Two")
        library.refresh(corpora=["memories"])
        (edge,) = library.links("docs/roadmap.md#q3").incoming
        assert (str(edge.origin), str(edge.to), edge.link.relation) == (
            "memories:one.md",
            "docs:docs/roadmap.md#q3",
            "tests",
        )
        assert library.links("docs/roadmap.md").around == (
            "We tested docs/roadmap.md#q3 with [[src/server.py]] and [[gone]].",
        )
        assert library.links("docs/roadmap.md#q4").incoming == ()
        own = library.links("memories:one.md")
        assert [str(edge.to) for edge in own.outgoing] == ["docs:docs/roadmap.md#q3", "docs:src/server.py", "None"]
        assert [str(edge.origin) for edge in own.incoming] == ["memories:two.md"]


def test_a_note_changes_nothing_about_the_documents(root: Path) -> None:
    write_tree(root, {"b.md": "# B\n\n[[roadmap]]\n"})
    with pinakes.open(root) as library:
        library.sync()
        before = library.check()
        library.memories.remember("x [[roadmap]]", "Roadmap")
        library.sync()
        assert library.check() == before
        assert [str(link.to) for link in library.memories.read("roadmap").links] == ["docs:docs/roadmap.md"]


def test_hidden_files_are_never_looked_into(root: Path) -> None:
    with pinakes.open(root) as library:
        library.sync()
        made = library.memories.remember("The keys are in [[.env]].", "Keys", links=[".env"])
        assert made.seen == {}
        (root / ".env").write_text("SECRET=2\n")
        assert library.memories.read("keys").marks == ()


def test_a_note_is_written_whatever_state_the_index_of_the_documents_is_in(root: Path) -> None:
    with pinakes.open(root) as library:
        library.sync()
    database = root / ".pinakes/library.db"
    whole = database.read_bytes()
    for damaged in (b"", b"nonsense" * 500, whole[: len(whole) // 2], whole[:4096] + b"\xff" * (len(whole) - 4096)):
        database.write_bytes(damaged)
        with pinakes.open(root) as library:
            made = library.memories.remember("About [[docs/roadmap.md#q3]].", "Note")
            assert str(made.links[0].to) == "docs:docs/roadmap.md#q3"
            assert library.memories.recall().found[0].memory == made
