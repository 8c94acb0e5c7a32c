"""What happens while a question is answered."""

from __future__ import annotations

from msgspec import Struct

from pinakes.records.conversation import AnswerText, Usage
from pinakes.records.edits import EditBlock


class AnswerBegun(Struct, frozen=True):
    """The question is kept, and is being sent."""

    exchange: str
    """The id of the line that the answer becomes."""
    context_tokens: int


class EditFound(Struct, frozen=True):
    """A change that the answer asks for is complete."""

    number: int
    """Counted from 1 in each answer."""
    block: EditBlock


class AnswerDone(Struct, frozen=True):
    """Nothing more comes."""

    exchange: str
    edits: int
    is_whole: bool
    """False where the answer was stopped, or reached its limit of tokens."""
    usage: Usage | None = None


class AnswerFailed(Struct, frozen=True):
    """The answer broke off, or none came. What had come is kept."""

    exchange: str
    detail: str
    next_step: str


WorkEvent = AnswerBegun | AnswerText | EditFound | AnswerDone | AnswerFailed
