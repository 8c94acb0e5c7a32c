"""What is found, and in which order."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from msgspec.structs import replace

from kits.scratch import ScratchStore
from kits.vectors import Bag, filled
from pinakes.errors import StoreError
from pinakes.own_folder import OwnFolder
from pinakes.records import ChunkId, Scope
from pinakes.vectors import open_vectors
from pinakes.vectors.layout import ROW, SECTION, VectorTable, empty
from pinakes.vectors.snapshot import allowed_rows, nearest
from pinakes.vectors.texts import embedded_text

HARBOUR = "Ships wait in the harbour until the tide lets them in. " * 9
TOKENS = "Access tokens are rotated every night by the clock. " * 9
PAGES = {
    "harbour.md": f"# Harbour\n\n{HARBOUR}\n\n## Pilots\n\n{TOKENS}\n\n{HARBOUR}\n",
    "tokens.md": f"# Tokens\n\n{TOKENS}\n",
    "short.md": "# Tide\n\nThe tide.\n",
    "empty.md": "",
}
BAG = Bag()


def plain_scores(store: ScratchStore, question: str) -> dict[ChunkId, float]:
    """The promise, word for word."""
    asked = BAG.encode([question])[0]
    scores = {}
    for numbered in store.documents_by_number(store.feed(0).changed):
        texts = [embedded_text(numbered.document, one) for one in numbered.chunks]
        cosines = BAG.encode(texts) @ asked
        for one in numbered.chunks:
            if one.parent == one.ordinal:
                inside = [x for x in numbered.chunks if x.parent == one.ordinal and x.ordinal != one.ordinal]
                best = max((cosines[x.ordinal] for x in inside), default=cosines[one.ordinal])
                scores[ChunkId(numbered.number, one.ordinal)] = float(cosines[one.ordinal] + best) / 2
    return scores


def test_a_section_scores_the_mean_of_its_own_cosine_and_its_best_passages(tmp_path: Path) -> None:
    store = filled(PAGES)
    vectors = open_vectors(OwnFolder(tmp_path, 2))
    vectors.update(store, BAG)
    assert any(one.parent != one.ordinal for page in store.documents_by_number((1, 2, 3)) for one in page.chunks)
    for question in ("rotated tokens", "the tide", "ships and pilots"):
        truth = plain_scores(store, question)
        found = vectors.now.nearest(BAG.encode([question])[0], None, 10)
        assert {one.chunk for one in found} == set(truth)
        assert [one.score for one in found] == sorted((one.score for one in found), reverse=True)
        for chunk, score in found:
            assert abs(score - truth[chunk]) < 0.01


def test_what_is_embedded_says_where_it_stands_and_says_a_title_once() -> None:
    store = filled(
        {
            "a.md": "# Guide\n\nHello.\n\n## Tokens\n\nOnes that rotate.\n",
            "b.md": "---\ntitle: Manual\n---\n# Guide\n\nHello.\n",
            "c.md": 'Nothing but [a line](https://example.org/line) of {{glossary("words")}}<br/>.\n',
            "d.svg": '<svg xmlns="http://www.w3.org/2000/svg"><text>Client</text><text>Server</text></svg>',
        }
    )
    assert [
        embedded_text(numbered.document, chunk)
        for numbered in store.documents_by_number(store.feed(0).changed)
        for chunk in numbered.chunks
    ] == [
        "Guide\n\nGuide\n\nHello.",
        "Guide › Tokens\n\nTokens\n\nOnes that rotate.",
        "Manual › Guide\n\nGuide\n\nHello.",
        "c.md\n\nNothing but a line of words .",
        "d.svg\n\nClient\nServer",
    ]


def test_asking_everywhere_finds_what_asking_everywhere_piece_by_piece_finds(tmp_path: Path) -> None:
    # More rows than are compared one by one: the question takes the long way, the pieces take the short one.
    rng = np.random.default_rng(7)
    words = [f"word{n}" for n in range(300)]
    store = filled(
        {
            f"{n}.md": "\n\n".join(f"# {h}\n\n{' '.join(rng.choice(words, 12))}" for h in rng.choice(words, 25))
            for n in range(200)
        }
    )
    bag = Bag(dimensions=16)
    vectors = open_vectors(OwnFolder(tmp_path, 2))
    vectors.update(store, bag)
    assert vectors.now.rows > 4096
    numbers = store.feed(0).changed
    for question in bag.encode(["word1 word2 word3", "word299", "word8 " * 4]):
        for limit in (1, 10, 700):
            pieces = [
                one
                for first in range(0, len(numbers), 50)
                for one in vectors.now.nearest(question, Scope(frozenset(numbers[first : first + 50])), limit)
            ]
            best = sorted(pieces, key=lambda one: (-one.score, one.chunk))[:limit]
            assert vectors.now.nearest(question, None, limit) == best


def test_questions_leave_the_counts_of_the_interpreter_alone() -> None:
    rng = np.random.default_rng(5)
    sections = np.zeros(5000, dtype=SECTION)
    sections["document"] = sections["first"] = np.arange(5000)
    matrix = rng.integers(-127, 128, (5000, 32), dtype=np.int8)
    rows = np.zeros(5000, dtype=ROW)
    rows["squares"] = np.square(matrix, dtype=np.int64).sum(axis=1)
    header = replace(empty("bag", 32, 1).header, rows=5000, sections=5000)
    opened = VectorTable(header, matrix, rows, sections, np.ones(5000, dtype=bool))
    before = sys.getrefcount(None)

    for question in rng.standard_normal((400, 32)).astype(np.float32):
        nearest(opened, question, None, 3)

    assert abs(sys.getrefcount(None) - before) < 100  # None that is given back uncounted ends the process one day


@pytest.mark.parametrize("share", [0.105, 0.3, 1.0])
def test_however_many_rows_a_scope_has_the_best_of_them_are_found(share: float) -> None:
    rng = np.random.default_rng(11)
    sections = np.zeros(20_000, dtype=SECTION)
    sections["document"] = np.arange(20_000) // 4
    sections["ordinal"] = 3 * (np.arange(20_000) % 4)
    sections["first"] = np.cumsum(rng.integers(1, 5, 20_000)) - 1
    count = int(sections["first"][-1]) + 2
    matrix = rng.integers(-127, 128, (count, 32), dtype=np.int8)
    rows = np.zeros(count, dtype=ROW)
    rows["squares"] = np.square(matrix, dtype=np.int64).sum(axis=1)
    header = replace(empty("bag", 32, 1).header, rows=count, sections=len(sections))
    opened = VectorTable(header, matrix, rows, sections, np.ones(len(sections), dtype=bool))
    chosen = np.sort(rng.permutation(5000)[: int(5000 * share)])
    scope = allowed_rows(opened, Scope(frozenset(chosen.tolist())))
    assert count > 8 * 4096

    question = rng.standard_normal(32).astype(np.float32)
    pieces = [
        one
        for part in np.array_split(chosen, 20)
        for one in nearest(opened, question, allowed_rows(opened, Scope(frozenset(part.tolist()))), 700)
    ]
    for limit in (1, 10, 300):
        best = sorted(pieces, key=lambda one: (-one.score, one.chunk))[:limit]
        assert nearest(opened, question, scope, limit) == best


def test_a_scope_is_applied_before_the_best_are_chosen(tmp_path: Path) -> None:
    store = filled({f"{n}.md": f"# Harbour {n}\n\n{HARBOUR}\n" for n in range(60)} | {"z.md": "# Tokens\n\nRotate.\n"})
    vectors = open_vectors(OwnFolder(tmp_path, 2))
    vectors.update(store, BAG)
    question = BAG.encode(["ships in the harbour"])[0]
    numbers = {n.document.ref.path: n.number for n in store.documents_by_number(store.feed(0).changed)}
    far = numbers["z.md"]
    assert [one.chunk.document for one in vectors.now.nearest(question, Scope(frozenset({far})), 3)] == [far]
    assert vectors.now.nearest(question, Scope(frozenset()), 3) == []
    assert vectors.now.nearest(question, Scope(frozenset({10_000_000})), 3) == []


def test_a_scope_may_speak_of_sections(tmp_path: Path) -> None:
    store = filled(PAGES)
    vectors = open_vectors(OwnFolder(tmp_path, 2))
    vectors.update(store, BAG)
    (harbour,) = (n for n in store.documents_by_number(store.feed(0).changed) if n.document.ref.path == "harbour.md")
    scope = Scope(frozenset({harbour.number}), frozenset({(harbour.number, 2)}))
    found = vectors.now.nearest(BAG.encode(["ships"])[0], scope, 9)
    assert {harbour.chunks[one.chunk.ordinal].section for one in found} == {2}
    assert {one.chunk.document for one in found} == {harbour.number}
    assert vectors.now.nearest(BAG.encode(["ships"])[0], Scope(frozenset({harbour.number}), frozenset()), 9) == []


def test_equal_texts_score_equal_and_stand_in_the_order_of_their_documents(tmp_path: Path) -> None:
    store = filled({f"{n}/same.md": f"# Same\n\n{TOKENS}\n" for n in range(40)})
    vectors = open_vectors(OwnFolder(tmp_path, 2))
    vectors.update(store, BAG)
    found = vectors.now.nearest(BAG.encode(["tokens and tide"])[0], None, 7)
    assert len({one.score for one in found}) == 1
    assert [one.chunk.document for one in found] == list(store.feed(0).changed[:7])


def test_a_question_without_direction_or_limit_finds_nothing(tmp_path: Path) -> None:
    vectors = open_vectors(OwnFolder(tmp_path, 2))
    assert vectors.now.nearest(BAG.encode(["tide"])[0], None, 5) == []
    vectors.update(filled(PAGES), BAG)
    assert vectors.now.nearest(np.zeros(64, dtype=np.float32), None, 5) == []
    assert vectors.now.nearest(BAG.encode(["tide"])[0], None, 0) == []


def test_a_question_of_another_embedder_is_refused_with_the_name_of_the_right_one(tmp_path: Path) -> None:
    vectors = open_vectors(OwnFolder(tmp_path, 2))
    vectors.update(filled(PAGES), BAG)
    with pytest.raises(StoreError, match=r"64 dimensions, the question has 8.*Encode the question with bag"):
        vectors.now.nearest(np.ones(8, dtype=np.float32), None, 5)


def test_importing_the_room_loads_no_numerics() -> None:
    program = "import sys, pinakes.vectors; assert not {'numpy', 'simsimd'} & set(sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
