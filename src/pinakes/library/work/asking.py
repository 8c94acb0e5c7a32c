"""One question, from the moment that it is kept to the end of its answer.

A prompt and a session enter; events leave as the answer comes. The question is on disk before anything is sent, and
what came of an answer is kept whatever ends it: a limit, a failure, somebody who stops it, or a listener who goes.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from contextlib import closing

from msgspec import Struct

from pinakes.context.modes import ContextMode
from pinakes.conversation.chat_model import AnswerStream, ChatModel
from pinakes.edits import EditStream
from pinakes.errors import ConversationError
from pinakes.library.context import LibraryContext
from pinakes.library.work.events import AnswerBegun, AnswerDone, AnswerFailed, EditFound, WorkEvent
from pinakes.library.work.session_log import SessionLog
from pinakes.records.conversation import AnswerEnd, AnswerText, ModelPrompt, SessionLine

STOPPED = "The answer above was stopped."
CUT_SHORT = "The answer above reached its limit of tokens."
BROKE_OFF = "The answer above broke off."
STOP_NOTES = (STOPPED, CUT_SHORT, BROKE_OFF)
"""How the notes begin that mark the answer before them as not whole."""


class StopSignal:
    """Ends an answer from another thread."""

    def __init__(self) -> None:
        self._changing = threading.Lock()
        self._answer: AnswerStream | None = None
        self.is_set = False

    def stop(self) -> None:
        """End the answer now, or before it begins."""
        with self._changing:
            self.is_set = True
            answer = self._answer
        if answer is not None:
            answer.close()

    def watch(self, answer: AnswerStream) -> AnswerStream:
        """Have an answer end when somebody stops it."""
        with self._changing:
            self._answer = answer
        if self.is_set:
            answer.close()
        return answer


class StoppableModel:
    """A model whose answers somebody can stop."""

    def __init__(self, model: ChatModel, signal: StopSignal) -> None:
        self._model = model
        self._signal = signal

    @property
    def name(self) -> str:
        return self._model.name

    @property
    def cache_target(self) -> int:
        return self._model.cache_target

    def answer(self, prompt: ModelPrompt) -> AnswerStream:
        """Ask; see `ChatModel`."""
        return self._signal.watch(self._model.answer(prompt))


class PreparedQuestion(Struct, frozen=True):
    """A question that is kept, and what is sent for it."""

    exchange: str
    """The id that its answer will have."""
    mode: ContextMode
    context: LibraryContext
    model: ChatModel


class Answering:
    """The events of one answer, as they come. Whoever listens no more calls `close`, from any thread; what came of the
    answer is kept."""

    def __init__(self, events: Iterator[WorkEvent], signal: StopSignal, end: Callable[[], None]) -> None:
        """`end` is called once, when nothing more comes."""
        self._events = events
        self._signal = signal
        self._end = end
        self._using = threading.Lock()
        self._is_over = False

    def __iter__(self) -> Iterator[WorkEvent]:
        return self

    def __next__(self) -> WorkEvent:
        with self._using:
            if self._is_over:
                raise StopIteration
            try:
                return next(self._events)
            except BaseException:
                self._finish()
                raise

    def close(self) -> None:
        """Stop the answer, wait until it has stopped, and keep what came; however often."""
        self._signal.stop()  # or another thread would wait for the next piece, and we for the thread
        with self._using:
            if self._is_over:
                return
            try:
                for _ in self._events:  # an answer that has begun is kept at its end
                    pass
            finally:
                self._finish()

    def _finish(self) -> None:
        self._is_over = True
        self._end()


def answer_events(asked: PreparedQuestion, log: SessionLog) -> Iterator[WorkEvent]:
    """Send a question that is kept, and keep its answer."""
    pieces: list[str] = []
    edits = EditStream()
    count = 0
    end: AnswerEnd | None = None
    trouble: ConversationError | None = None
    yield AnswerBegun(asked.exchange, asked.context.tokens)
    try:
        with closing(asked.model.answer(asked.context.prompt)) as answer:
            for piece in answer:
                if isinstance(piece, AnswerEnd):
                    end = piece
                    break
                pieces.append(piece.text)
                yield AnswerText(piece.text)
                for block in edits.feed(piece.text):
                    count += 1
                    yield EditFound(count, block)
            for block in edits.finish():
                count += 1
                yield EditFound(count, block)
    except ConversationError as error:
        trouble = error
    finally:
        trouble = _keep(asked, log, "".join(pieces), end, trouble)
    if trouble is not None:
        yield AnswerFailed(asked.exchange, trouble.problem, trouble.next_step)
    else:
        yield AnswerDone(asked.exchange, count, end is not None and end.is_whole, end.usage if end else None)


def _keep(
    asked: PreparedQuestion, log: SessionLog, text: str, end: AnswerEnd | None, trouble: ConversationError | None
) -> ConversationError | None:
    """Keep the answer as far as it came, and a note that marks one that is not whole; returns what is to be told of it:
    that it broke off, or that it could not be kept."""
    usage = end.usage if end else None
    try:
        if text or end is not None:
            log.add(SessionLine(asked.exchange, "", "assistant", text, asked.mode.value, usage=usage))
        if trouble is not None:
            log.note(f"{BROKE_OFF} {trouble.problem}" if text else f"No answer came. {trouble.problem}", asked.mode)
        elif end is None:
            log.note(STOPPED if text else "The question above was stopped.", asked.mode)
        elif not end.is_whole:
            log.note(CUT_SHORT, asked.mode)
    except ConversationError as lost:
        return trouble or lost
    return trouble
