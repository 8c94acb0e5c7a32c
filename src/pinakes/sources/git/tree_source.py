"""The documents of a commit as a source: what a checkout of it would hold, without one.

Ignore files, markers and links are judged by the rules for folders, with those of the commit. What only a disk knows
plays no part: files that git does not track, the exclude file of the repository, line ends that a checkout changes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from pinakes.records import DOCS, CorpusName, Media, Stamp, formats
from pinakes.sources.code import installed_grammars
from pinakes.sources.folder import FolderSource, reads
from pinakes.sources.folder_rules import FolderEntry, FolderRules, RuledFolder
from pinakes.sources.git.tree import GitTree
from pinakes.sources.options import FolderOptions
from pinakes.sources.rulebook import RuleFiles
from pinakes.sources.telling import ContentTeller

_LARGEST_TOLD = 20_000_000
"""Bytes of a file that is looked into: no document has as many."""


class TreeSource(FolderSource):
    """The files of a commit below a folder. The hash of a blob is its version, so that equal files are read once."""

    def __init__(self, tree: GitTree, options: FolderOptions, corpus: CorpusName = DOCS, settings: str = "") -> None:
        """`settings` names what else decides how the files are read."""
        super().__init__(Path(tree.root), options, corpus)
        self.tip = tree.repository, tree.commit
        self._tree = tree
        self._settings = settings
        self._rules = _TreeRules(tree, options, corpus)

    @property
    def exists(self) -> bool:
        return True

    def snapshot(self) -> str:
        """Equal for all commits with the same files, read by the same settings."""
        shaping = (str(self.options), self._settings, self._tree.rules_above, " ".join(installed_grammars()))
        settings = hashlib.blake2b("\0".join(shaping).encode(), digest_size=16).hexdigest()
        return f"tree {self._tree.tree} {settings}"

    def expect(self, stamps: Sequence[Stamp]) -> None:
        """These will be read next. None: that was all, and git can end."""
        if not stamps:
            self._tree.close()

    def _data(self, path: str, limit: int) -> bytes | None:
        return self._tree.read(path, limit)

    def _target(self, path: str) -> str:
        return self._tree.resolve(path)

    def _version_of(self, entry: FolderEntry) -> str:
        assert hasattr(entry, "hash")
        return str(entry.hash)

    def _version_at(self, path: str) -> str:
        return self._tree.hash_of(path)


class _TreeRules(FolderRules):
    """The rules of a commit's folders."""

    def __init__(self, tree: GitTree, options: FolderOptions, corpus: CorpusName) -> None:
        files = RuleFiles(tree.read_rules, has_repositories=False)
        super().__init__(tree.root, options, *reads(corpus), above=tree.above, files=files)
        self._tree = tree
        if self._by_content is not None:
            self._by_content = _BlobTeller(tree)

    def entries(self, place: RuledFolder) -> Sequence[FolderEntry]:
        return self._tree.entries(place.path)


class _BlobTeller(ContentTeller):
    """Tells formats by the beginnings and ends of a commit's files."""

    def __init__(self, tree: GitTree) -> None:
        super().__init__(tree.root)
        self._tree = tree

    def _is(self, path: str, media: Media) -> bool:
        try:
            # A blob of any size takes few bytes of a repository, and may stand under a million names.
            return media.is_told_by(self._tree.ends(path, formats.TELLING, _LARGEST_TOLD))
        except OSError:
            return False
