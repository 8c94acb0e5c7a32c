"""An answer that nobody reads while it comes: a summary, a message for a commit.

A prompt enters, the whole text leaves, with whether it came to its end and what it took.
"""

from __future__ import annotations

from contextlib import closing

from msgspec import Struct

from pinakes.conversation.chat_model import ChatModel
from pinakes.records.conversation import AnswerText, ModelPrompt, Usage


class WholeAnswer(Struct, frozen=True):
    """All that came of an answer."""

    text: str
    """Without spaces and empty lines around it; may be empty."""
    is_whole: bool
    """False where the answer was stopped, or reached its limit of tokens."""
    usage: Usage | None
    """None where the answer was stopped."""


def whole_answer(model: ChatModel, prompt: ModelPrompt) -> WholeAnswer:
    """Ask, and wait for all of the answer; raises `ConversationError`."""
    pieces: list[str] = []
    is_whole, usage = False, None
    with closing(model.answer(prompt)) as answer:
        for piece in answer:
            if isinstance(piece, AnswerText):
                pieces.append(piece.text)
            else:
                is_whole, usage = piece.is_whole, piece.usage
    return WholeAnswer("".join(pieces).strip(), is_whole, usage)
