"""A workspace: one library, two modes, a selection, and the conversation about them.

    workspace = Workspace(library)
    workspace.switch(ContextMode.DOCS)
    workspace.select(["guide/auth.md"])
    for event in workspace.ask("What is missing here?"): ...

A mode decides whose map stands in the prompt. Calls block and may come from several threads; whoever serves one makes
them in threads.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress

from msgspec import Struct

from pinakes.context import CACHE_TARGET
from pinakes.context.modes import ContextMode
from pinakes.conversation.chat_model import ChatModel
from pinakes.conversation.compaction import compact, is_too_long
from pinakes.conversation.models import chat_model
from pinakes.conversation.sessions import Sessions, line_id
from pinakes.errors import ConfigError, ConversationBusy, ConversationError, NotFound
from pinakes.library.context import LibraryContext
from pinakes.library.corpora import store_folder
from pinakes.library.editing import Editing
from pinakes.library.library import Library
from pinakes.library.review import commit, review, review_text
from pinakes.library.work.asking import Answering, PreparedQuestion, StoppableModel, StopSignal, answer_events
from pinakes.library.work.choice import ContextChoice, SyncCorpora
from pinakes.library.work.committing import propose_message
from pinakes.library.work.modes import SWITCHED, ModeSwitch, keyword_state, why_no_code
from pinakes.library.work.session_log import SessionLog
from pinakes.records import DOCS
from pinakes.records.conversation import SessionLine
from pinakes.records.edits import EditPlan, RefusedEdit

ModelFactory = Callable[[Library], ChatModel]
"""The model that a library's settings name; raises `ConversationError` where there is none."""
LONGEST_QUESTION = 200_000


class ConversationState(Struct, frozen=True):
    """Whether a model can be asked, and which one."""

    provider: str
    model: str
    reason: str = ""
    """Why no model can be asked, and what to do about it; empty where one can."""

    def plain(self) -> dict[str, object]:
        """As data for JSON."""
        return {"available": not self.reason, "reason": self.reason, "provider": self.provider, "model": self.model}


class AppliedEdits(Struct, frozen=True):
    """What became of the changes that an answer asks for."""

    changed: tuple[str, ...]
    refused: tuple[RefusedEdit, ...]


def model_of(library: Library, environ: Mapping[str, str] = os.environ) -> ChatModel:
    """The model of the user's settings, with the key of the environment."""
    return chat_model(library.config.work, environ)


class Workspace(ContextChoice):
    """What one person works on, and says about it."""

    def __init__(self, library: Library, sync: SyncCorpora | None = None, model: ModelFactory = model_of) -> None:
        """`sync` is how indexes are brought up to date where somebody else does so, as servers do."""
        super().__init__(library, sync, _cache_target(library, model))
        self._model = model
        self.log = SessionLog(Sessions(store_folder(library.config)))
        self._asking = threading.Lock()
        self._doing = ""
        """What is done while that is held, as a sentence."""
        self._signal = StopSignal()
        self.has_documents = True
        """Whether documents are synced before a question; not while their first index is being made."""

    @property
    def is_answering(self) -> bool:
        """Whether a question is being answered; another one is refused."""
        return self._asking.locked()

    @property
    def editing(self) -> Editing:
        """How files are changed."""
        return Editing(self.library)

    def conversation(self) -> ConversationState:
        """Whether a model can be asked."""
        options = self.library.config.work
        try:
            name = self._model(self.library).name
        except ConversationError as error:
            return ConversationState(options.provider, options.model, str(error))
        return ConversationState(options.provider, name)

    def switch(self, mode: ContextMode) -> ModeSwitch:
        """Work in this mode from now on: nothing is selected, and the history stays. Raises `ConfigError` where there
        is no source code."""
        if mode is ContextMode.CODE and (reason := why_no_code(self.library)):
            raise ConfigError(reason, "Document mode goes on.")
        self.sync((mode.corpus,))
        is_new = mode is not self.mode
        self._switch_to(mode, self.log.history())
        if is_new:
            self.log.note(SWITCHED[mode], mode)
        return ModeSwitch(mode, SWITCHED[mode], keyword_state(self.library), mode.snippets)

    def context(self, question: str = "") -> LibraryContext:
        """The prompt as it would be sent now. Looking at it counts as no request."""
        return self._preview(self.log.history(), question)

    def ask(self, question: str) -> Answering:
        """Send a question, with everything that was chosen, and give the answer as it comes. The question is on disk
        when this returns. Raises `ConversationBusy` while another one is answered, and `ConversationError` where no
        model can be asked; what goes wrong later is an event."""
        text = question.strip()
        if not text or len(text) > LONGEST_QUESTION:
            what = "There is no question." if not text else "The question is too long."
            raise ConfigError(what, f"Ask in 1 to {LONGEST_QUESTION:,} letters.")
        self._begin("A question is being answered.")
        try:
            model = self._stoppable()
            self.sync((*((DOCS,) if self.has_documents else ()), *({self.mode.corpus} - {DOCS})))
            self._compact_if_long(model)
            prepared = self._prepared(text, model)
            events = answer_events(prepared, self.log)
            return Answering(events, self._signal, self._asking.release)
        except BaseException:
            self._asking.release()
            raise

    def stop(self) -> bool:
        """End the answer that is under way, and keep what came of it; returns whether there was one."""
        if self.is_answering:
            self._signal.stop()
            return True
        return False

    def compact(self) -> bool:
        """Have the model summarise what was said before the latest exchanges; returns whether there was anything.
        Raises `ConversationError`; then nothing has changed."""
        with self._alone("What was said is being summarised."):
            return self._compacted(self._stoppable())

    def plan(self, exchange: str) -> EditPlan:
        """What an answer would change, and which of its blocks are refused; raises `NotFound`."""
        return self.editing.plan(self.log.answer(exchange).text)

    def apply(self, exchange: str) -> AppliedEdits:
        """Make the changes that an answer asks for, all of them that fit, or none; raises `BadEdit`, `NotFound`."""
        plan = self.plan(exchange)
        changed = self.editing.apply(plan) if plan.changes else ()
        if changed:
            with suppress(ConversationError):  # the files are written, whether or not that can be noted
                self.log.note(f"Changed as asked for: {', '.join(changed)}", self.mode, changed)
        return AppliedEdits(changed, plan.refused)

    def undo(self) -> tuple[str, ...]:
        """Take the last changes back; raises `NotFound` and `BadEdit`."""
        changed = self.editing.undo()
        with suppress(ConversationError):
            self.log.note(f"Changes taken back: {', '.join(changed)}", self.mode, changed)
        return changed

    def propose_commit_message(self) -> str:
        """What a commit of everything that is not committed could say, by the model. Raises `NotFound` where nothing
        was changed, and `ConversationError`."""
        with self._alone("A commit message is being written."):
            found = review(self.library)
            if not found.changes:
                raise NotFound("Nothing was changed.", "Change something first.")
            return propose_message(self._stoppable(), review_text(found))

    def commit(self, message: str, paths: Sequence[str]) -> str:
        """Commit files as they are on disk; returns the hash. Raises `BadCommit` and `NotFound`."""
        return commit(self.library, message, paths)

    def begin_session(self) -> str:
        """Begin another session; the old one stays on disk."""
        with self._alone("Another session is being opened."):
            return self.log.begin()

    def resume_session(self, session: str) -> None:
        """Go on with an earlier session; raises `NotFound`."""
        with self._alone("Another session is being opened."):
            self.log.resume(session)

    @contextmanager
    def _alone(self, doing: str) -> Iterator[None]:
        self._begin(doing)
        try:
            yield
        finally:
            self._asking.release()

    def _begin(self, doing: str) -> None:
        """Keep everybody else from the session; raises `ConversationBusy`, which says what they do."""
        if not self._asking.acquire(blocking=False):
            raise ConversationBusy(
                self._doing or "Something else is being done.", "Wait until that is done, or stop it."
            )
        self._doing = doing

    def _stoppable(self) -> StoppableModel:
        """The model, for one answer that `stop` ends."""
        self._signal = StopSignal()
        return StoppableModel(self._model(self.library), self._signal)

    def _prepared(self, question: str, model: ChatModel) -> PreparedQuestion:
        mode = self.mode
        context = self._count(self.log.history(), question)
        files = self.selection.paths
        self.log.add(SessionLine("", "", "user", question, mode.value, files))
        return PreparedQuestion(line_id(), mode, context, model)

    def _compact_if_long(self, model: ChatModel) -> None:
        if is_too_long(self.log.lines, self.library.config.work.compact_at_tokens):
            with suppress(ConversationError):  # the question is sent all the same, and tells what is wrong
                self._compacted(model)

    def _compacted(self, model: ChatModel) -> bool:
        options = self.library.config.work
        line = compact(self.log.lines, model, self.mode.system_prompt, options.compact_at_tokens, line_id())
        if line is not None:
            self.log.add(line)
        return line is not None


def _cache_target(library: Library, model: ModelFactory) -> int:
    try:
        return model(library).cache_target
    except ConversationError:
        return CACHE_TARGET
