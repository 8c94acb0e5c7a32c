"""Is it right? Questions with known answers, how they were answered, and the figures that say how well.

Questions and somebody who answers enter, an `Evaluation` leaves. How answers are found is not known here.
"""

from pinakes.evaluation.questions import load_questions

__all__ = ["load_questions"]
