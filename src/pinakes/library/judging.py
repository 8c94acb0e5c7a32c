"""The part of a library that is judged by questions with known answers."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from pinakes.library.library_corpora import LibraryCorpora
from pinakes.records import DOCS, Query
from pinakes.search import SearchOptions, Weighing, search

if TYPE_CHECKING:
    from pinakes.evaluation.questions import Question
    from pinakes.evaluation.verdicts import Evaluation, JudgingLevel, OnProgress


class JudgedDocuments(LibraryCorpora):
    """Documents, and how well questions about them are answered."""

    def eval(
        self,
        questions: Sequence[Question],
        like: Query | None = None,
        *,
        level: JudgingLevel | None = None,
        options: SearchOptions | None = None,
        weights: Weighing | None = None,
        on_progress: OnProgress | None = None,
    ) -> Evaluation:
        """How well questions with known answers are answered, each asked with everything else as in `like`. They are
        judged by sections unless another `level` is given."""
        from pinakes.evaluation.verdicts import JudgingLevel, evaluate_like, ignore_count

        like = like or Query("", profile=self.config.search.profile)
        tools, chosen = self._docs.toolbox.tools(like.profile, self._docs.store), options or self.config.search
        weighing = weights or self.config.weights
        ask = partial(search, tools=tools, options=chosen, weighing=weighing)
        judged_by = level or JudgingLevel.SECTION
        return evaluate_like(questions, ask, like, self._docs.index, judged_by, on_progress or ignore_count)

    def questions(self) -> tuple[Question, ...]:
        """Questions made from the documents themselves, for `eval`."""
        from pinakes.evaluation.makers import make_questions
        from pinakes.library.checking import commit_sections

        store = self._docs.index
        return make_questions(store, commit_sections(store, DOCS, self.root) if self.config.history.enabled else ())
