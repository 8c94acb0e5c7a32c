"""Names of documents that mean something in a published folder, or cannot be names everywhere."""

from __future__ import annotations

import os
from pathlib import Path

from kits.publish import broken, chunked, files, publish


def test_hostile_names_get_safe_ones_and_every_document_is_there_once(tmp_path: Path) -> None:
    names = [
        "index.json/a.md",
        "_chunks/a.md",
        "_keywords/a.md",
        "search/a.md",
        "llms.txt",
        "map.txt",
        "topic-spec.md",
        "guide/map.txt",
        "A.md",
        "a.md",
        "caf\u00e9.md",
        "cafe\u0301.md",
        "con.md",
        "nul.txt",
        "sp ace & 100%#?.md",
        "back\\slash.md",
        "new\nline.md",
        'quote".md',
        "-rf.md",
        "a.rst",
        "a.rst.md",
        "a.RST/inside.md",
        "end.md./x.md",
        "x" * 252 + ".md",
        "é" * 120 + ".md",
        "/".join(["d" * 200] * 6) + "/deep.md",
        "a~1.md",
        "\u202egnp.md",
        os.fsdecode(b"latin\xe9.md"),
    ]
    root, out = tmp_path / "docs", tmp_path / "out"
    for number, name in enumerate(names):
        target = root / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(f"# Document {number}\n\nBody {number}.\n")
    done = publish(root, out)
    assert (done.documents, done.kept) == (len(names), ())
    assert broken(out) == []
    found = [source for _, _, source, chunks in chunked(out) if b"".join(chunks) == source]
    assert len(set(found)) == len(names)
    there = files(out)
    assert len({path.casefold() for path in there}) == len(there)
    assert {path.casefold() for path in there} & {os.path.dirname(path).casefold() for path in there} == set()
    assert max(len(os.fsencode(part)) for path in there for part in path.split("/")) <= 255
    assert publish(root, out).written == ()
