"""Builders for tests: real records, real files, no mocks."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from pinakes.ports import Reader
from pinakes.records import DOCS, Corpus, Ref

SHARED = Path(__file__).resolve().parents[2] / "shared"
"""Real documents and oracles laid beside the project; tests that need them skip when they are not there."""


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Lay files out under `root` and return it."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def snapshot(store: Reader, corpus: Corpus = DOCS) -> dict[str, object]:
    """Everything a store answers about a corpus, as plain values that can be compared."""
    kept = store.kept(corpus)
    documents = [found for path in kept if (found := store.document(Ref(corpus, path))) is not None]
    return {
        "kept": dict(kept),
        "documents": documents,
        "outlines": list(store.outlines(corpus)),
        "edges": list(store.edges(corpus)),
        "names": sorted(store.names(corpus)),
        "anchors": {document.ref: dict(store.anchors(document.ref)) for document in documents},
        "failures": list(store.failures(corpus)),
        "warnings": list(store.warnings(corpus)),
        "pending": list(store.pending_links(corpus, 10)),
    }
