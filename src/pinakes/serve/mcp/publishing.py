"""The tool that publishes: into a folder inside the library, since a model must not write anywhere else."""

from __future__ import annotations

import os
from pathlib import Path

from pinakes.errors import PublishError
from pinakes.library import Library
from pinakes.render import safe
from pinakes.serve.mcp.answers import ToolAnswer
from pinakes.serve.requests.questions import PublishRequest

USUAL = "published"
"""The folder, below the root, when none is named."""


def publish(library: Library, request: PublishRequest) -> ToolAnswer:
    """Write the library as static files; what was written is counted, and what stood in the way is named."""
    done = library.publish(_place(library.root, request.out or USUAL))
    counted = {"topics": done.topics, "documents": done.documents, "chunks": done.chunks}
    written = {"written": len(done.written), "removed": len(done.removed), "unchanged": done.unchanged}
    told = ", ".join(f"{count:,} {what}" for what, count in {**counted, **written}.items())
    kept = [safe(one) for one in done.kept]
    lines = [f"{safe(done.folder)}: {told}.", *done.notes, *(f"Not ours, left alone: {one}" for one in kept)]
    return ToolAnswer({"folder": safe(done.folder), **counted, **written, "kept": [*kept]}, "\n".join(lines))


def _place(root: Path, named: str) -> Path:
    """The folder that is meant; raises `PublishError` for one that is not a plain folder below the root."""
    parts = [part for part in named.replace("\\", "/").split("/") if part not in ("", ".")]
    place = root.joinpath(*parts)
    is_plain = bool(parts) and not named.startswith(("/", "~")) and not any(part.startswith(".") for part in parts)
    if "\0" in named or not is_plain or not Path(os.path.realpath(place)).is_relative_to(root):
        raise PublishError(
            f"“{safe(named)}” is not a folder inside the library.",
            "Name one below its root; to publish elsewhere, in a terminal: pinakes publish OUT.",
        )
    return place
