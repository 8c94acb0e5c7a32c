"""Files compressed beside themselves, for servers that hand such files out as they are.

Files of a part enter; the same files leave, each text of some size followed by `NAME.gz`, and by `NAME.br` where Brotli
is installed. The same bytes make the same twins.
"""

from __future__ import annotations

import gzip
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec

from pinakes.publish.names import ending
from pinakes.publish.part import PartFiles

GZIP, BROTLI = ".gz", ".br"
_TEXTS = frozenset(("html", "css", "js", "json", "txt", "xml", "svg", "md"))
_LEAST_BYTES = 1_400
"""What is smaller is one packet anyway."""


def with_twins(made: PartFiles) -> PartFiles:
    """The files of a part with their twins. A twin stands before its file: a server that sees the new file may take the
    new twin."""
    files: list[tuple[str, bytes]] = []
    for name, data in made.files:
        files += [*_twins(name, data), (name, data)]
    return PartFiles(files, made.facts)


def _twins(name: str, data: bytes) -> Sequence[tuple[str, bytes]]:
    if ending(name) not in _TEXTS or len(data) < _LEAST_BYTES:
        return ()
    found = [(f"{name}{GZIP}", gzip.compress(data, compresslevel=9, mtime=0))]
    if find_spec("brotli") is not None:
        found.append((f"{name}{BROTLI}", bytes(import_module("brotli").compress(data, quality=11))))
    return found
