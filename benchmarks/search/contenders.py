"""Who is asked, in the order of the table, and with which part of Pinakes each one's work can be compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType

from benchmarks.search import llamaindex, ours, rivals
from benchmarks.search.shelf import Ask, Shelf

WORDS, MEANING, WHOLE = "Pinakes, words alone", "Pinakes, meaning alone", "Pinakes, whole search"


@dataclass(frozen=True, slots=True)
class Contender:
    """Somebody who answers."""

    open: Callable[[Shelf], Ask]
    gives: str
    """What comes back, and what does not."""
    beside: str = ""
    """Which part of Pinakes does the same work; empty for those parts."""
    indexed: str = ""
    """What it asks: the name of a builder, empty for Pinakes' own index."""
    packages: tuple[str, ...] = ()
    most: int = 10_000_000
    """Passages above which it is not asked."""
    owns: tuple[str, str] = ("", "seconds")
    """For parts of Pinakes: the folder of the store they need, and the name of the time it took to make."""

    @property
    def missing(self) -> tuple[str, ...]:
        """What has to be installed before it can be asked."""
        return tuple(name for name in self.packages if not _is_installed(name))


def _is_installed(package: str) -> bool:
    try:
        version(package)
    except PackageNotFoundError:
        return False
    return True


CONTENDERS: Mapping[str, Contender] = MappingProxyType(
    {
        WORDS: Contender(ours.words, "the best ten of the word index, numbers only", owns=("words", "words_s")),
        "SQLite FTS5": Contender(rivals.fts5, "rowids by bm25(), any of the terms; no fields, no texts", WORDS, "fts5"),
        "bm25s": Contender(rivals.bm25s, "positions; no filters, no texts", WORDS, "bm25s", ("bm25s",)),
        "LanceDB, full text": Contender(
            rivals.lancedb_words, "ids; no fields, no texts", WORDS, "lancedb", ("lancedb",)
        ),
        MEANING: Contender(
            ours.meaning,
            "question embedded, exact; sections and their passages, numbers only",
            owns=("vectors", "vectors_s"),
        ),
        "LanceDB, vectors": Contender(
            rivals.lancedb_meaning, "question embedded, exact; sections only, ids", MEANING, "lancedb", ("lancedb",)
        ),
        "Pinakes, whole search, fast": Contender(ours.search("fast"), "as below, by words alone"),
        WHOLE: Contender(
            ours.search("balanced"), "texts, addresses, lines, matches, votes; duplicates folded, evidence weighed"
        ),
        "LanceDB, hybrid": Contender(
            rivals.lancedb_hybrid,
            "texts by reciprocal ranks; nothing folded, weighed or marked",
            WHOLE,
            "lancedb",
            ("lancedb",),
        ),
        "LlamaIndex, hybrid": Contender(
            llamaindex.hybrid,
            "texts by reciprocal ranks of its vector store and bm25s; nothing folded, weighed or marked",
            WHOLE,
            "llamaindex",
            ("llama-index-core", "llama-index-retrievers-bm25"),
            most=50_000,
        ),
    }
)

BUILDERS: Mapping[str, Callable[[Shelf], None]] = MappingProxyType(
    {
        "fts5": rivals.build_fts5,
        "bm25s": rivals.build_bm25s,
        "lancedb": rivals.build_lancedb,
        "llamaindex": llamaindex.build,
    }
)
