"""A table of words counts for less where it has no rows for the words of a corpus."""

from __future__ import annotations

from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from pinakes.neural import load_embedder
from pinakes.neural.static import StaticEmbedder
from pinakes.records import Query
from pinakes.search.known import ENOUGH, LITTLE, WordTable

PAGES = 24
KNOWN = "Renew the token before it expires, or the server will refuse every request that comes after it. "
UNKNOWN = (
    "Phosphatidylinositol downregulates thrombospondin; immunoprecipitated fibroblasts show hypermethylated loci. "
    "Osteoclastogenesis requires glycosylated fibronectin, and hepatocytes upregulate metalloproteinases after it. "
)


def weights(folder: Path, text: str, pages: int) -> str:
    """What the account of a search says of the shares of words and meaning."""
    files = {f"page{number}.md": f"# Page {number}\n\n{text}{number}\n" for number in range(pages)}
    with pinakes.open(write_tree(folder, files), {"neural.model": "static"}) as library:
        library.sync()
        stages = library.search(Query("which page comes after it", abstain=False)).stages
    return next(stage.note for stage in stages if stage.name == "fuse")


@pytest.fixture(scope="module")
def static() -> WordTable:
    embedder = load_embedder("static")
    assert isinstance(embedder, StaticEmbedder)
    return embedder


def test_words_with_a_row_are_told_from_those_that_are_spelled(static: WordTable) -> None:
    assert static.known_share([KNOWN] * PAGES) == 1.0
    assert static.known_share([UNKNOWN] * PAGES) < LITTLE < ENOUGH


def test_of_a_few_words_nothing_is_told(static: WordTable) -> None:
    assert static.known_share([UNKNOWN]) == static.known_share(["12 + 3", ""]) == static.known_share([]) == 1.0


def test_meaning_counts_for_little_where_the_table_knows_too_little(tmp_path: Path) -> None:
    assert weights(tmp_path / "known", KNOWN, PAGES) == "words × 0.47, meaning × 0.53"
    assert weights(tmp_path / "unknown", UNKNOWN, PAGES) == "words × 0.95, meaning × 0.05"
    assert weights(tmp_path / "few", UNKNOWN, 2) == "words × 0.47, meaning × 0.53"


def test_what_words_alone_would_answer_is_not_left_empty_where_the_table_knows_too_little(tmp_path: Path) -> None:
    fronts = [
        "phos",
        "sphin",
        "glyco",
        "osteo",
        "chondro",
        "thrombo",
        "lympho",
        "hepato",
        "myelo",
        "fibro",
        "kerato",
        "cyto",
    ]
    rare = [f"{front}{middle}genesis" for front in fronts for middle in ("lipo", "cyto", "sarco", "neuro", "angio")]
    files = {}
    for number in range(240):
        said = " ".join(f"{rare[(number + 19 * nth) % len(rare)]} {UNKNOWN}" for nth in range(4))
        files[f"page{number}.md"] = f"# Page {number}\n\n{said}\n"
    question = "keratolipogenesis keratoangiogenesis keratosarcogenesis cytocytogenesis fibrosarcogenesis river"
    with pinakes.open(write_tree(tmp_path, files), {"neural.model": "static"}) as library:
        library.sync()
        assert library.search(Query(question, profile="fast")).hits
        assert library.search(question).hits
        assert not library.search("a zebra crosses the river by a window in the evening").hits
