"""A conversation that was held, as requests whose cost can be worked out.

A library and the id of a session enter; its requests leave. Nobody kept what the files said when each question was
asked: they are taken as they are now, and one that the conversation changed counts as another one from then on.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pinakes.context import SessionRequest
from pinakes.context.modes import ContextMode
from pinakes.conversation.history import ChatExchange, exchanges
from pinakes.conversation.sessions import Sessions
from pinakes.errors import ConfigError, NotFound
from pinakes.library.context import MapCache, context_material
from pinakes.library.corpora import store_folder
from pinakes.library.listed_files import listed_bytes
from pinakes.records.context import ContextBlock
from pinakes.tokens import count_tokens

if TYPE_CHECKING:
    from pinakes.library.library import Library


def session_modes(library: Library, session: str) -> frozenset[ContextMode]:
    """The modes in which questions were asked; raises `NotFound` where there is no such session."""
    return frozenset(_mode(one) for one in _held(library, session))


def session_requests(library: Library, session: str) -> Iterator[SessionRequest]:
    """The requests of a session; raises `NotFound`, and `ConfigError` where code was asked about that is not read."""
    maps, changes = MapCache(), Counter[str]()
    for exchange in _held(library, session):
        for note in exchange.notes:
            changes.update(note.edits)
        selected = [path for path in exchange.question.files if _is_there(library, path)]
        material = context_material(library, _mode(exchange), selected, maps=maps)
        asked, answered = exchange.messages
        yield SessionRequest(
            tuple(_as_it_was(block, changes) for block in material.blocks),
            material.components,
            material.cited,
            count_tokens(asked.text),
            count_tokens(answered.text),
            _mode(exchange),
        )
        for answer in exchange.answers:
            changes.update(answer.edits)


def _held(library: Library, session: str) -> Sequence[ChatExchange]:
    return exchanges(Sessions(store_folder(library.config)).read(session).lines)[0]


def _mode(exchange: ChatExchange) -> ContextMode:
    return ContextMode.CODE if exchange.question.mode == ContextMode.CODE else ContextMode.DOCS


def _is_there(library: Library, path: str) -> bool:
    with suppress(NotFound, ConfigError):
        listed_bytes(library, path)
        return True
    return False


def _as_it_was(block: ContextBlock, changes: Counter[str]) -> ContextBlock:
    """A block with a digest that tells how often its file had been changed."""
    kind, _, path = block.key.partition(":")
    times = changes[path] if kind in ("file", "map") else 0
    digest = f"{block.digest} {times}" if times else block.digest
    return replace(block, digest=digest, text=digest)
