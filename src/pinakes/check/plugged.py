"""Findings of plug-ins: every document is shown to each finder that is installed."""

from __future__ import annotations

from collections.abc import Iterator

from pinakes.check.findings import Code, Finding
from pinakes.errors import PinakesError
from pinakes.plugins import FinderPlugin, PlainDocument, PlainFinding, PluginGroup, plugins_of
from pinakes.plugins.loading import failed
from pinakes.ports import Reader
from pinakes.records import CorpusName, Ref

_MOST = 10_000
"""Findings of one plug-in; one that finds more finds nothing."""


def plugged_findings(reader: Reader, corpus: CorpusName) -> Iterator[Finding]:
    """What the finders of plug-ins find; raises `PluginFailed`, naming the one that failed."""
    for name, plugin in plugins_of(PluginGroup.FINDERS).items():
        if isinstance(plugin, FinderPlugin):
            yield from _asked(name, plugin, reader, corpus)


def _asked(name: str, plugin: FinderPlugin, reader: Reader, corpus: CorpusName) -> Iterator[Finding]:
    known = reader.files(corpus)
    found: list[Finding] = []
    try:
        for one in plugin.find(_documents(reader, corpus)):
            found.append(_finding(name, one, corpus))
            if one.path not in known or len(found) > _MOST:
                raise ValueError(f"it speaks of {one.path}, no document" if len(found) <= _MOST else "it never ends")
    except PinakesError:
        raise
    except Exception as error:
        raise failed(PluginGroup.FINDERS, name, error) from error
    yield from found


def _documents(reader: Reader, corpus: CorpusName) -> Iterator[PlainDocument]:
    for path, file in sorted(reader.files(corpus).items()):
        document = reader.document(Ref(corpus, path)) if file.digest else None
        if document is not None:
            text = document.source.decode("utf-8", "replace")
            yield PlainDocument(path, document.title, text, document.stamp.media.name)


def _finding(name: str, one: PlainFinding, corpus: CorpusName) -> Finding:
    message = " ".join(one.message.split())
    return Finding(Code.PLUGIN, Ref(corpus, one.path), max(1, one.line), f"{name}: {message}", one.suggestion)
