"""Is it right? Graded questions and the metrics that score answers to them."""

from pinakes.evaluation.metrics import first_of_each, ndcg, recall, reciprocal_rank, separation
from pinakes.evaluation.questions import Judgement, Question, load_questions

__all__ = [
    "Judgement",
    "Question",
    "first_of_each",
    "load_questions",
    "ndcg",
    "recall",
    "reciprocal_rank",
    "separation",
]
