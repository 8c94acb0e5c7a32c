"""Is it right? Questions with known answers, how they were answered, and the figures that say how well.

Questions and somebody who answers enter, an `Evaluation` leaves. How answers are found is not known here.
"""

from pinakes.evaluation.makers import CommitSections, make_questions
from pinakes.evaluation.questions import Judgement, Question, as_line, load_questions
from pinakes.evaluation.sets import QuestionSet, kept_place, open_set
from pinakes.evaluation.tuning import TuningResult, Variant, ablate, leaving_out, tune
from pinakes.evaluation.verdicts import (
    Evaluation,
    JudgingLevel,
    OnProgress,
    Verdict,
    asked_like,
    evaluate,
    ignore_count,
)

__all__ = [
    "CommitSections",
    "Evaluation",
    "Judgement",
    "JudgingLevel",
    "OnProgress",
    "Question",
    "QuestionSet",
    "TuningResult",
    "Variant",
    "Verdict",
    "ablate",
    "as_line",
    "asked_like",
    "evaluate",
    "ignore_count",
    "kept_place",
    "leaving_out",
    "load_questions",
    "make_questions",
    "open_set",
    "tune",
]
