"""The part of a library that says what is wrong with its documents and its indexes, and makes these sound again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinakes.index import ignore_progress
from pinakes.library.corpora import unread_files
from pinakes.library.mapping import MappedDocuments
from pinakes.ports import Progress
from pinakes.records import ADDED, DOCS, MEMORIES, Diagnosis

if TYPE_CHECKING:
    from pinakes.check import Finding, WebCheck


class ExaminedDocuments(MappedDocuments):
    """Documents and their indexes, and what is wrong with them."""

    def check(
        self,
        under: str = "",
        *,
        undocumented: bool = False,
        external: WebCheck | None = None,
        progress: Progress = ignore_progress,
    ) -> tuple[Finding, ...]:
        """Broken links and anchors, loose ends, orphans, contradictions, drift; everywhere or in what is below `under`,
        which may name another corpus in front. `undocumented`: also public symbols that no document mentions.
        `external`: also links to the web, whose servers are asked."""
        from pinakes.library.checking import FindingRequest, findings

        home, rest = self._part(under)
        also = FindingRequest(undocumented, external, progress)
        return findings(home, rest, under or str(self.root), self._across, also)

    def doctor(self) -> tuple[Diagnosis, ...]:
        """What is sound in the installation and in every index, and what to do about the rest."""
        from pinakes.doctor import examine
        from pinakes.library.mending import diagnosis

        kept = {name: one for name, one in self._corpora.items() if name == DOCS or one.is_indexed}
        indexes = {} if self.config.store_url else {name: one.own for name, one in kept.items()}
        written = [self._corpora[name].source for name in (MEMORIES, ADDED) if name in self._corpora]
        found = examine(self.root, indexes, written, self.config.neural.model, self.config.keywords.model)
        if self.config.store_url:
            found = (*found, *map(diagnosis, kept.values()))
        if any(one.topic == "index" and not one.is_sound for one in found):
            return found  # what it says of files cannot be trusted
        return (*found, *unread_files(one for one in self._corpora.values() if one.source not in written))

    def mend(self, *, progress: Progress = ignore_progress) -> tuple[str, ...]:
        """Make every index, and every part derived from one, sound again; returns what was done, a sentence each."""
        from pinakes.library.mending import mend

        return tuple(done for one in self._corpora.values() for done in mend(one, progress))
