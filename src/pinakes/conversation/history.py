"""What was said, as the next prompt says it.

Lines of a session enter; messages and blocks leave. The latest two exchanges are sent as messages. What was said before
stands in the prompt as blocks, one for each exchange, so that it can settle in a tier that the provider caches. What a
summary stands for is left out, and the summary is a block in its place.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256

from msgspec import Struct

from pinakes.records.context import ContextBlock
from pinakes.records.conversation import ChatMessage, SessionLine
from pinakes.tokens import count_tokens

RECENT = 2
"""Exchanges that are sent as they were said."""
UNANSWERED = "(No answer came.)"


@dataclass(frozen=True)
class ChatExchange:
    """A question, what was noted before it, and its answer."""

    number: int
    """Counted from 1 over the whole session, so that it stays the same when earlier ones are summarised."""
    notes: tuple[SessionLine, ...]
    """What the workspace noted since the exchange before, such as a switch of modes."""
    question: SessionLine
    answers: tuple[SessionLine, ...]
    """None where the request failed."""

    @property
    def last(self) -> SessionLine:
        return self.answers[-1] if self.answers else self.question

    @cached_property
    def messages(self) -> tuple[ChatMessage, ChatMessage]:
        """As it was sent and answered."""
        answer = "\n\n".join(one.text for one in self.answers if one.text.strip())
        asked = with_notes(self.notes, self.question.text)
        return ChatMessage("user", asked), ChatMessage("assistant", answer or UNANSWERED)

    @cached_property
    def text(self) -> str:
        """As it stands in a block."""
        asked, answered = self.messages
        return f"Earlier in this conversation ({self.number}), the user:\n\n{asked.text}\n\nYou:\n\n{answered.text}"

    @cached_property
    def tokens(self) -> int:
        return count_tokens(self.text)


class ChatHistory(Struct, frozen=True):
    """What the next prompt says of a conversation."""

    said: tuple[ChatMessage, ...]
    """The latest exchanges, the oldest first, as messages."""
    blocks: tuple[ContextBlock, ...]
    """All that still counts: the summary and the exchanges. The latest are among them, marked as recent: they take part
    in the context, and are not printed there since `said` has them."""
    notes: tuple[SessionLine, ...] = ()
    """What was noted since the last exchange."""

    @property
    def tokens(self) -> int:
        return sum(block.tokens for block in self.blocks)

    def question(self, text: str) -> str:
        """A question as it is sent: behind what was noted before it."""
        return with_notes(self.notes, text)


def history(lines: Sequence[SessionLine]) -> ChatHistory:
    """What the next prompt says of these lines."""
    summary, talk, notes = kept(lines)
    recent = talk[-RECENT:]
    blocks = [_summary_block(summary)] if summary is not None else []
    for one in talk:
        key = f"history:{one.number:06}"
        blocks.append(ContextBlock(key, _digest(one.text), one.text, one.tokens, is_recent=one in recent))
    said = tuple(message for one in recent for message in one.messages)
    return ChatHistory(said, tuple(blocks), notes)


def kept(
    lines: Sequence[SessionLine],
) -> tuple[SessionLine | None, tuple[ChatExchange, ...], tuple[SessionLine, ...]]:
    """The latest summary, the exchanges that it does not stand for, and what was noted after the last of them."""
    summary = next((line for line in reversed(lines) if line.role == "summary"), None)
    talk, notes = exchanges(lines)
    if summary is not None:
        until = next((at for at, one in enumerate(talk, 1) if summary.until in _ids(one)), 0)
        talk = talk[until:]
    return summary, talk, notes


def exchanges(lines: Iterable[SessionLine]) -> tuple[tuple[ChatExchange, ...], tuple[SessionLine, ...]]:
    """All exchanges of a session, whatever was summarised, and what was noted after the last of them."""
    found: list[ChatExchange] = []
    notes: list[SessionLine] = []
    for line in lines:
        if line.role == "system":
            notes.append(line)
        elif line.role == "user":
            found.append(ChatExchange(len(found) + 1, tuple(notes), line, ()))
            notes = []
        elif line.role == "assistant" and found:
            last = found[-1]
            found[-1] = ChatExchange(last.number, last.notes, last.question, (*last.answers, line))
    return tuple(found), tuple(notes)


def with_notes(notes: Sequence[SessionLine], question: str) -> str:
    return "\n\n".join([*(f"[{one.text}]" for one in notes), question])


def _ids(exchange: ChatExchange) -> set[str]:
    return {exchange.question.id, *(one.id for one in exchange.answers)}


def _summary_block(line: SessionLine) -> ContextBlock:
    text = f"Summary of what was said before in this conversation:\n\n{line.text}"
    # Sorted before all exchanges.
    return ContextBlock("history:000000", _digest(text), text, count_tokens(text))


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]
