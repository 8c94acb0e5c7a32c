"""What a folder source lists, in short."""

from __future__ import annotations

from pathlib import Path

from pinakes.records import Media, Ref, Stamp, formats
from pinakes.sources import FolderOptions, FolderSource

DEFAULTS = FolderOptions()


def media(root: Path, options: FolderOptions = DEFAULTS) -> dict[str, str]:
    return {stamp.ref.path: stamp.media.name for stamp in FolderSource(root, options).scan().stamps}


def documents(root: Path, options: FolderOptions = DEFAULTS) -> list[str]:
    return [path for path, kind in media(root, options).items() if kind != "asset"]


def stamp_at(path: str, kind: Media = formats.MARKDOWN) -> Stamp:
    return Stamp(Ref("docs", path), "1-1", kind)
