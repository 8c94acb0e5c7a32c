"""The promise of everything that answers: a prompt enters, pieces of an answer leave as they come."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # settings are read by every command, and import this room
    from pinakes.records.conversation import AnswerPiece, ModelPrompt


class AnswerStream(Protocol):
    """An answer as it comes: pieces of text, then an `AnswerEnd`; raises `ConversationError`."""

    def __iter__(self) -> AnswerStream: ...

    def __next__(self) -> AnswerPiece: ...

    def close(self) -> None:
        """End the request now, from any thread and however often. Whoever waits for the next piece gets no more."""
        ...


class ChatModel(Protocol):
    """A language model that can be asked."""

    @property
    def name(self) -> str:
        """The model, as its provider calls it."""
        ...

    @property
    def cache_target(self) -> int:
        """Tokens that a cached tier of a prompt holds at least."""
        ...

    def answer(self, prompt: ModelPrompt) -> AnswerStream:
        """Ask. Nothing is sent before the first piece is wanted."""
        ...
