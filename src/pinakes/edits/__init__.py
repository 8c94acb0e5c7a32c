"""What does a model want changed, and may it be?

The text of an answer enters, as it streams; blocks leave, a plan made of them, and files that were changed as a whole
or not at all. Which files are ignored, and what an index makes of a change, is the library's business.
"""

from pinakes.edits.apply import apply_edits, can_undo, recover_edits, undo_edits
from pinakes.edits.diff import unified
from pinakes.edits.journal import EditJournal
from pinakes.edits.plan import plan_edits
from pinakes.edits.stream import EditStream, blocks_of

__all__ = [
    "EditJournal",
    "EditStream",
    "apply_edits",
    "blocks_of",
    "can_undo",
    "plan_edits",
    "recover_edits",
    "undo_edits",
    "unified",
]
