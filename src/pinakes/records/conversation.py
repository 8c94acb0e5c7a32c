"""What is said between a person and a model, what is sent, and what is kept of it."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct


class ChatMessage(Struct, frozen=True):
    """Something that was said."""

    role: Literal["user", "assistant"]
    text: str


class PromptPart(Struct, frozen=True):
    """A stretch of a prompt that is cached or sent as a whole."""

    name: str
    text: str
    is_cached: bool


class ModelPrompt(Struct, frozen=True):
    """What a model is sent, whoever serves it."""

    parts: tuple[PromptPart, ...]
    """The system text, the tiers, and what is active, in this order; each with something in it."""
    said: tuple[ChatMessage, ...] = ()
    """The last exchanges, the oldest first."""
    question: str = ""

    def text(self) -> str:
        """All of it, for people to read."""
        said = (f"{one.role}: {one.text}" for one in self.said)
        return "\n\n".join([*(part.text for part in self.parts), *said, *filter(None, [self.question])])


class Usage(Struct, frozen=True):
    """The tokens of one answer, as the provider counts them."""

    sent: int = 0
    """All that was sent, what came from the cache included."""
    cached: int | None = None
    """Of these, what the provider read from its cache; None where it does not say."""
    written: int = 0
    """Of these, what it wrote to its cache."""
    answered: int = 0
    is_estimate: bool = False
    """Whether the provider did not count, and these are counts of ours."""


class AnswerText(Struct, frozen=True):
    """The next piece of an answer."""

    text: str


class AnswerEnd(Struct, frozen=True):
    """An answer is complete, or was cut short by a limit."""

    usage: Usage
    is_whole: bool = True
    """False where the provider stopped at its limit of tokens."""


AnswerPiece = AnswerText | AnswerEnd


class SessionLine(Struct, frozen=True):
    """One line of a session on disk."""

    id: str
    at: str
    """UTC, ISO 8601."""
    role: Literal["user", "assistant", "system", "summary"]
    """`system` is what the workspace noted, such as a switch of modes; a `summary` stands for lines before it."""
    text: str
    mode: str = ""
    files: tuple[str, ...] = ()
    """The files that were selected."""
    edits: tuple[str, ...] = ()
    """The files that were changed by what this line says."""
    usage: Usage | None = None
    until: str = ""
    """For a summary, the id of the last line that it stands for."""
