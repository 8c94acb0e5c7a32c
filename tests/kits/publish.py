"""Builders for tests of published folders: what is in one, and whether it holds together."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urljoin

from pinakes import open as open_library
from pinakes.publish import PublishOptions
from pinakes.records.publish import Published


def publish(root: Path, out: Path, options: PublishOptions | None = None, prompts: Path | None = None) -> Published:
    """Bring the library up to date and publish it."""
    with open_library(root) as library:
        library.sync(corpora=("docs",))
        return library.publish(out, options, prompts=prompts)


def files(out: Path) -> dict[str, bytes]:
    """Everything in a folder by its path."""
    return {
        os.path.relpath(os.path.join(folder, name), out): Path(folder, name).read_bytes()
        for folder, _, names in os.walk(out)
        for name in names
    }


def times(out: Path) -> dict[str, int]:
    """When each file of a folder was last written."""
    return {path: (out / path).lstat().st_mtime_ns for path in files(out)}


def indexes(out: Path) -> dict[str, Any]:
    """Every index by its path."""
    return {
        path: json.loads(data)
        for path, data in files(out).items()
        if os.path.basename(path) == "index.json" and "_chunks/" not in path
    }


def data_files(out: Path) -> dict[str, Any]:
    """Every file of JSON by its path, the manifest and the schema left out."""
    held = files(out).items()
    return {path: json.loads(data) for path, data in held if path.endswith(".json") and path != "schema.json"}


def document_index(out: Path, path: str, name: str) -> Any:
    """The file that lists the chunks of a document, by the index of its topic."""
    held = indexes(out)[path]["_embedded"]["chunks"][name]
    return json.loads(files(out)[target(path, held["index"])])


def hrefs(held: object) -> Iterator[str]:
    """Every link of an index."""
    if isinstance(held, dict):
        for name, value in held.items():
            if name in ("href", "source", "index", "page") and isinstance(value, str):
                yield value
            else:
                yield from hrefs(value)
    elif isinstance(held, list):
        for one in held:
            yield from hrefs(one)


def target(path: str, href: str) -> str:
    """The file that a link in the file at `path` leads to."""
    return unquote(urljoin(f"http://x/{path}", href).removeprefix("http://x/"))


def broken(out: Path) -> list[str]:
    """Links that lead nowhere."""
    there = files(out)
    return [
        f"{path}: {href}"
        for path, index in data_files(out).items()
        for href in hrefs(index)
        if target(path, href) not in there
    ]


def chunked(out: Path) -> Iterator[tuple[str, Any, bytes, list[bytes]]]:
    """Every document that is cut: the index it stands in, its metadata, its source, and its chunks in order."""
    there = files(out)
    for path, index in indexes(out).items():
        for held in index["_embedded"]["chunks"].values():
            source = there[target(path, held["source"])]
            at = target(path, held["index"])
            listed = json.loads(there[at])
            yield path, {**held, **listed}, source, [there[target(at, item["href"])] for item in listed["items"]]
