"""`pinakes read`: a document, a section or lines, verbatim."""

from __future__ import annotations

import re
from pathlib import Path

import click

from pinakes.errors import ConfigError
from pinakes.records import DOCS
from pinakes.render import passage_text
from pinakes.serve.cli import frame
from pinakes.serve.cli.build import Output, show, takes
from pinakes.serve.requests.questions import ReadRequest

_WEB = re.compile(r"https?://", re.IGNORECASE)


@click.command("read")
@frame.root_option
@frame.store_option
@frame.guarded
@takes(ReadRequest, {"address": "ADDRESS"})
@frame.json_option
@frame.sync_option
def command(request: ReadRequest, root: Path | None, store: Path | None, as_json: bool, do_sync: bool) -> None:
    """Print the text at ADDRESS: path, path#anchor, path:12 or path:12-30, or URL#path of a published folder.

    \b
    Example:
      pinakes read docs/guide.md#installation
      pinakes read docs/guide.md:12-30 --plain
      pinakes read https://example.org/docs/#guide/reading.md --first 3
    """
    if _WEB.match(request.address):
        from pinakes.serve.cli.published import published

        show(published(request), as_json=as_json)
        return
    if request.first is not None:
        raise ConfigError("--first works only for published documents.", "Name one: https://…/#guide/reading.md.")
    opened, _ = frame.library(root, store)
    with opened as library:
        named = request.address.partition(":")[0]
        frame.refresh(library, (DOCS, named) if named in library.corpora else (), do_sync=do_sync)
        found = library.read(frame.address(library, request.address))
    text = found.text if request.plain else passage_text(found)
    show(Output(found, text, is_verbatim=request.plain), as_json=as_json)
