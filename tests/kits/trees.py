"""Builders for tests: real records, real files, no mocks."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from pathlib import Path

from msgspec.structs import replace

from pinakes.ports import Reader
from pinakes.records import DOCS, CorpusName, Ref

SHARED = Path(__file__).resolve().parents[3] / "shared"
"""Real documents and oracles laid beside the project; tests that need them skip when they are not there."""


def write_tree(root: Path, files: Mapping[str, str | bytes]) -> Path:
    """Lay files out under `root` and return it."""
    for path, content in files.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(content if isinstance(content, bytes) else content.encode())
    return root


def vanish(folder: Path) -> None:
    """Take a folder away at once. Somebody may still write into it, as the engine of words does for a moment after it
    opened an index: removed where it stands, the folder might not be empty at the end."""
    gone = folder.rename(folder.with_name(f".gone-{folder.name}"))
    shutil.rmtree(gone, ignore_errors=True)


SECRET = "the-secret-outside"


def with_ways_out(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Lay files out under `folder`/docs, secrets beside it, and links in it that lead to them; returns the docs."""
    root = write_tree(folder / "docs", files)
    write_tree(folder, {"docs-evil/secret.md": SECRET, "secret.md": SECRET})
    (root / "out.md").symlink_to(folder / "secret.md")
    (root / "out").symlink_to(folder / "docs-evil")
    return root


def snapshot(store: Reader, corpus: CorpusName = DOCS) -> dict[str, object]:
    """Everything a store answers about a corpus, as plain values that can be compared; versions are left out, because
    they say when a file was looked at and not what is in it."""
    kept = store.files(corpus)
    found = [store.document(Ref(corpus, path)) for path in kept]
    documents = [replace(one, stamp=replace(one.stamp, version="")) for one in found if one is not None]
    return {
        "kept": {path: (known.stamp.media, known.digest) for path, known in kept.items()},
        "documents": documents,
        "outlines": list(store.outlines(corpus)),
        "edges": list(store.edges(corpus)),
        "names": sorted(store.names(corpus)),
        "anchors": {document.ref: dict(store.anchors(document.ref)) for document in documents},
        "failures": list(store.failures(corpus)),
        "warnings": list(store.warnings(corpus)),
        "pending": list(store.pending_links(corpus, 10)),
    }


def differences(store: Reader, truth: Reader, corpus: CorpusName = DOCS) -> list[str]:
    """Where two stores answer differently: short, because a whole library makes an unreadable assertion."""
    found = []
    mine, theirs = snapshot(store, corpus), snapshot(truth, corpus)
    for part, value in mine.items():
        if value != theirs[part]:
            one, other = (list(held.items()) if isinstance(held, dict) else held for held in (value, theirs[part]))
            assert isinstance(one, list)
            assert isinstance(other, list)
            odd = [f"only here {held}" for held in one if held not in other]
            odd += [f"only there {held}" for held in other if held not in one]
            found.append(f"{part}: {'; '.join(odd[:4])[:2000] or 'another order'}")
    return found
