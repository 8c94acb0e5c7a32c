"""`library.models`: the models a library can use, and the vectors that they make of its passages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pinakes.index import ignore_progress
from pinakes.library.corpus import Corpus
from pinakes.neural import NeuralOptions, list_models
from pinakes.ports import Progress
from pinakes.records import DOCS, CorpusName, Upgrade

if TYPE_CHECKING:
    from pinakes.neural.model_list import Model


class LibraryModels:
    """Which models there are, and how far the vectors of a better one have come with all corpora of a library."""

    def __init__(self, options: NeuralOptions, corpora: Sequence[Corpus]) -> None:
        self._options = options
        self._corpora = corpora

    def list(self) -> tuple[tuple[Model, ...], frozenset[str]]:
        """Every model there is, and the names of the embedders that made the present vectors of the documents."""
        made = self._corpora[0].toolbox.meanings.whole()
        return list_models(self._options.model, self._options.reranker), frozenset(made)

    def missing(self) -> str:
        """Why the vectors of the selected embedder could not be made for the documents; nothing when they could, or
        when there are none yet."""
        return self._corpora[0].toolbox.meanings.problem() if self._corpora[0].is_indexed else ""

    def embed_in_background(self) -> None:
        """Make the selected embedder's vectors in threads that end with the library; until then others answer."""
        for one in self._corpora:
            one.embed_in_background()

    def background_work(self) -> Mapping[CorpusName, tuple[bool, bool]]:
        """By corpus, whether keywords and whether vectors are being made in the background."""
        return {
            one.name: (one.keyword_maker.background.is_running, one.toolbox.meanings.background.is_running)
            for one in self._corpora
        }

    def follow_background_work(self, work: Mapping[CorpusName, tuple[bool, bool]]) -> None:
        """Another process makes keywords and vectors, and says whether it is at it; this library makes none."""
        for one in self._corpora:
            keywords, vectors = work.get(one.name, (False, False))
            one.keyword_maker.background.runs_elsewhere = keywords
            one.toolbox.meanings.background.runs_elsewhere = vectors

    def upgrade(self, *, progress: Progress = ignore_progress) -> Upgrade | None:
        """Make the vectors of the finer embedder here and now, however long it takes, and return `upgrade_state`.

        What was made stays when this is interrupted.
        """
        for one in self._corpora:
            one.upgrade(progress=progress)
        return self.upgrade_state()

    def upgrade_state(self) -> Upgrade | None:
        """How far the finer embedder is with all corpora but commits, added up; None where none is to be finer."""
        indexed = [one for one in self._corpora if one.name == DOCS or one.is_indexed]
        states = [state for one in indexed if (state := one.toolbox.meanings.upgraded())]
        if not states:
            return None
        return Upgrade(
            states[0].model,
            done=sum(one.done for one in states),
            total=sum(one.total for one in states),
            is_running=any(one.is_running for one in states),
            problem=" ".join(dict.fromkeys(one.problem for one in states if one.problem)),
            seconds_left=sum(one.seconds_left for one in states),
        )
