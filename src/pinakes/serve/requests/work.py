"""The table of what the page of a workspace may ask for and send: a class for each request, a row for each
parameter."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from pinakes.context.modes import ContextMode
from pinakes.edits.plan import LARGEST_FILE
from pinakes.library.work.choice import MOST_SELECTED
from pinakes.library.work.grep import LONGEST_PATTERN
from pinakes.library.workspace import LONGEST_QUESTION
from pinakes.serve.requests.parameters import Doors, Parameter, Request, row
from pinakes.serve.requests.rows import PAGE

_LONGEST_PATH = 4_096
LARGEST_BODY = 6 * LARGEST_FILE + 100_000
"""Bytes in which the largest file that is opened comes back: JSON has six letters for some, and there is a path."""
FilePath = Annotated[str, Parameter("A file, from the root.", longest=_LONGEST_PATH, is_required=True)]
CommitRange = Annotated[
    str, Parameter("Commits: main..HEAD, or one to compare with. Empty: what is not committed.", longest=500)
]


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkRequest(Request):
    """Something that takes no parameters."""

    doors: ClassVar[Doors] = PAGE


@dataclass(frozen=True, slots=True, kw_only=True)
class EnterWork(WorkRequest):
    """A page that was just opened asks for its token."""

    ticket: str = row("What its address brought.", longest=200, is_required=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchMode(WorkRequest):
    """Work over code, or over documents."""

    mode: ContextMode = row("code or docs.", default=ContextMode.CODE, is_required=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class SelectFiles(WorkRequest):
    """Have exactly these files stand in the prompt in full."""

    paths: tuple[str, ...] = row("Files, from the root.", default=(), entries=MOST_SELECTED, longest=_LONGEST_PATH)


@dataclass(frozen=True, slots=True, kw_only=True)
class SetOverlay(WorkRequest):
    """Have the map of the other mode stand in the prompt, too."""

    on: bool = row("Whether it does.", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskModel(WorkRequest):
    """A question for the model."""

    question: str = row("The question.", longest=LONGEST_QUESTION, is_required=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExchangeRequest(WorkRequest):
    """The changes that an answer asks for."""

    exchange: str = row("The id of the answer.", longest=100, is_required=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenFile(WorkRequest):
    """A file to be edited."""

    path: FilePath = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveFile(WorkRequest):
    """A file as an editor has it now."""

    path: FilePath = ""
    text: str = row("All of it.", longest=LARGEST_FILE)
    digest: str = row("Of the file as it was opened; empty for a new one.", longest=200)


@dataclass(frozen=True, slots=True, kw_only=True)
class GrepRequest(WorkRequest):
    """Lines of files that match."""

    q: str = row("The text, or an expression.", longest=LONGEST_PATTERN, is_required=True)
    regex: bool = row("Whether it is a regular expression.", default=False)
    case: bool = row("Whether large and small letters differ.", default=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class FindSessions(WorkRequest):
    """Earlier sessions."""

    q: str = row("Words that occur in them.", longest=500)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResumeSession(WorkRequest):
    """Go on with an earlier session."""

    id: str = row("Its id.", longest=100, is_required=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageAddress(WorkRequest):
    """A web page that stands in the prompt, or shall."""

    url: str = row("Its address.", longest=4_000, is_required=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewRequest(WorkRequest):
    """What was changed."""

    range: CommitRange = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SetReview(WorkRequest):
    """Have what was changed stand in the prompt."""

    on: bool = row("Whether it does.", default=False)
    range: CommitRange = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class CommitRequest(WorkRequest):
    """Commit changes."""

    message: str = row("What the commit says.", longest=20_000, is_required=True)
    paths: tuple[str, ...] = row("Files, from the root.", default=(), entries=10_000, longest=_LONGEST_PATH)
