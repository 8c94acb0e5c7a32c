"""One family of errors; every message names the thing, what is wrong and the next step.

PinakesError
├── BadAddress            a reference such as docs:guide.md#intro that cannot be read
├── NotFound              a document, section or folder that the library does not hold
├── ConfigError           a setting that is unknown, malformed or not allowed
├── Unreadable            one file that could not be taken in; sync records it and goes on
│   ├── Unfit             a document that was given and is not text that can be kept
│   ├── Refused           an address that must not be fetched
│   └── Unreachable       an address that could be fetched and does not answer as it should
├── PublishError          a folder that must not or cannot be published into
├── BadMemory             a memory that cannot be kept as it was given
├── BadMove               a move or rename that must not be made, or that files on disk do not allow
├── StoreError
│   ├── StoreDamaged      the index exists but cannot be trusted
│   │   └── StoreForeign  the index was not made here by this user
│   ├── StoreTooNew       the index was written by a newer Pinakes
│   ├── StoreStrange      a link, or somebody else's file, lies where a file of ours belongs
│   ├── StoreReadOnly     a write was asked of an index that can only be read
│   ├── StoreBusy         another process is writing
│   └── LeaseLost         a job that somebody else has taken meanwhile
├── ExtraMissing          an optional part that is not installed
├── PluginFailed          a plug-in that cannot be loaded, or that failed when it was called
├── ModelFailed           a model that should be there and does not answer, or answers nonsense
├── ConversationError     a language model that cannot be asked, or broke off
│   └── ConversationBusy  a conversation in which a question is being answered
├── BadEdit               a change of a file that cannot be made
│   └── EditConflict      a change of a file that somebody else changed meanwhile
└── BadCommit             a commit that cannot be made
"""

from __future__ import annotations


class PinakesError(Exception):
    """Everything a caller may meet descends from this."""

    def __init__(self, problem: str, next_step: str = "") -> None:
        super().__init__(f"{problem} {next_step}".strip())
        self.problem = problem
        self.next_step = next_step


class BadAddress(PinakesError):
    """A reference that cannot be read."""


class NotFound(PinakesError):
    """Something the library does not hold."""


class ConfigError(PinakesError):
    """A setting that is unknown, malformed or not allowed."""


class Unreadable(PinakesError):
    """One file that could not be taken in; sync records it and goes on."""


class PublishError(PinakesError):
    """A folder that must not or cannot be published into."""


class BadMemory(PinakesError):
    """A memory that cannot be kept as it was given."""


class BadMove(PinakesError):
    """A move or rename that must not be made, or that files on disk do not allow."""


class Unfit(Unreadable):
    """A document that was given and is not text that can be kept: empty, binary, too large."""


class Refused(Unreadable):
    """An address that must not be fetched: another scheme, a private network, a loop."""


class Unreachable(Unreadable):
    """An address that could be fetched and does not answer as it should."""


class StoreError(PinakesError):
    """The index could not be used."""


class StoreDamaged(StoreError):
    """The index exists but cannot be trusted."""


class StoreForeign(StoreDamaged):
    """The index was not made here by this user: it came with an archive, from somebody else or an older Pinakes."""


class StoreTooNew(StoreError):
    """The index was written by a newer Pinakes."""


class StoreStrange(StoreError):
    """A link, or somebody else's file, lies where a file of ours belongs; it is not touched."""


class StoreReadOnly(StoreError):
    """A write was asked of an index that can only be read."""


class StoreBusy(StoreError):
    """Another process is writing."""


class LeaseLost(StoreError):
    """A job that somebody else has taken, or that is not wanted any more; nothing more may be written for it."""


class ExtraMissing(PinakesError):
    """An optional part that is not installed."""


class PluginFailed(PinakesError):
    """A plug-in that cannot be loaded, or that failed when it was called; the message names it."""


class ModelFailed(PinakesError):
    """A model that should be there and does not answer, or answers nonsense; everything else goes on without it."""


class ConversationError(PinakesError):
    """A model that cannot be asked: no key, one that is refused, no such model, a limit, an answer that broke off."""


class ConversationBusy(ConversationError):
    """A conversation in which a question is being answered: there is one at a time."""


class BadEdit(PinakesError):
    """A change of a file that cannot be made, such as of one that may not be written."""


class EditConflict(BadEdit):
    """A change of a file that is not, or not any more, as whoever changes it believes."""


class BadCommit(PinakesError):
    """A commit that cannot be made."""
