"""When much was said, the model summarises the older topics of a conversation.

Lines of a session enter; a `summary` line leaves, to be appended to them. Nothing is taken away: the session on disk
keeps every word, and only the next prompt says less. Where a topic ends is told by cheap signs that are the same each
time: a switch of modes, a selection of wholly other files, a long pause. The latest two exchanges stay as they were.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from pinakes.conversation.chat_model import ChatModel
from pinakes.conversation.history import RECENT, ChatExchange, kept
from pinakes.conversation.sessions import now
from pinakes.conversation.whole_answer import whole_answer
from pinakes.errors import ConversationError
from pinakes.records.conversation import ModelPrompt, PromptPart, SessionLine
from pinakes.tokens import count_tokens

_PAUSE = timedelta(hours=1)
_MOST_LETTERS = 24_000
"""Of one question or answer that is summarised; of a longer one the middle is left out."""
_ASK = """\
Summarise the conversation below, so that it can go on without it. Keep what was decided and why, names of files and \
sections, what was changed and what was refused, and questions that are still open. Leave out greetings, \
repetitions and the text of files. Write plain notes under a heading for each topic, in the language of the \
conversation, no longer than needed. Answer with the notes alone and change no files."""


def is_too_long(lines: Sequence[SessionLine], at_tokens: int) -> bool:
    """Whether so much was said that it should be summarised, and there is something to summarise."""
    summary, talk, _ = kept(lines)
    total = sum(one.tokens for one in talk) + (count_tokens(summary.text) if summary else 0)
    return total > at_tokens and len(talk) > RECENT


def compact(
    lines: Sequence[SessionLine], model: ChatModel, system: str, at_tokens: int, line_id: str
) -> SessionLine | None:
    """The summary of the older topics, made by a model that is told `system`: the text of the present mode. None where
    there are no exchanges but the latest. Raises `ConversationError`; then nothing has changed."""
    summary, talk, _ = kept(lines)
    end = cut(talk, at_tokens)
    if end == 0:
        return None
    transcript = "\n\n".join([*([f"[Summary so far]\n\n{summary.text}"] if summary else []), *_transcript(talk[:end])])
    question = f"{_ASK}\n\n<conversation>\n\n{transcript}\n\n</conversation>"
    answer = whole_answer(model, ModelPrompt((PromptPart("system", system, is_cached=False),), (), question))
    if not answer.text or not answer.is_whole:
        what = "is not whole" if answer.text else "is empty"
        raise ConversationError(
            f"The summary of “{model.name}” {what}, so everything stays as it is.",
            "Try again, or begin a new session.",
        )
    mode = talk[-1].question.mode
    return SessionLine(line_id, now(), "summary", answer.text, mode, usage=answer.usage, until=talk[end - 1].last.id)


def cut(talk: Sequence[ChatExchange], at_tokens: int) -> int:
    """How many of the oldest exchanges are summarised: up to the first end of a topic behind which no more than half of
    what may be said is left, else all but the latest."""
    most = len(talk) - RECENT
    left = sum(one.tokens for one in talk)
    for at in range(1, max(most, 0)):
        left -= talk[at - 1].tokens
        if left <= at_tokens / 2 and begins_topic(talk[at - 1], talk[at]):
            return at
    return max(most, 0)


def begins_topic(before: ChatExchange, exchange: ChatExchange) -> bool:
    """Whether an exchange is about something else than the one before, by what is known without reading it."""
    old, new = before.question, exchange.question
    if old.mode != new.mode:
        return True
    if old.files and new.files and not set(old.files) & set(new.files):
        return True
    try:
        return datetime.fromisoformat(new.at) - datetime.fromisoformat(before.last.at) >= _PAUSE
    except (ValueError, TypeError):
        return False


def _transcript(talk: Sequence[ChatExchange]) -> list[str]:
    found: list[str] = []
    for number, one in enumerate(talk):
        if number and begins_topic(talk[number - 1], one):
            found.append("[Another topic]")
        files = f" (files: {', '.join(one.question.files[:20])})" if one.question.files else ""
        asked, answered = one.messages
        found.append(f"User{files}: {_shortened(asked.text)}")
        changed = sorted({path for line in one.answers for path in line.edits})
        changes = f"\n[Changed: {', '.join(changed[:40])}]" if changed else ""
        found.append(f"Assistant: {_shortened(answered.text)}{changes}")
    return found


def _shortened(text: str) -> str:
    half = _MOST_LETTERS // 2
    return text if len(text) <= _MOST_LETTERS else f"{text[:half]}\n[…]\n{text[-half:]}"
