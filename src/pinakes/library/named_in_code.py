"""Comments in source code that name a document or section which gets another name.

The corpus of code and the names to come enter; a sentence for each such line leaves. Pinakes does not change programs,
so it says where somebody must look.
"""

from __future__ import annotations

from collections.abc import Iterator

from pinakes.graph.across import OtherCorpus
from pinakes.library.corpus import Corpus
from pinakes.moves.renaming import Renaming
from pinakes.records import LinkForm, Ref


def named_in_code(code: Corpus, names: Renaming) -> Iterator[str]:
    """A sentence for each line of code that names what moves, or a heading whose anchor changes."""
    documents = OtherCorpus(names.reader, names.corpus)
    for path in sorted({*names.paths, *names.anchors}):
        for edge in code.store.edges(code.name, to=Ref(code.name, path)):
            there = documents.lead(edge).to
            is_concerned = path in names.paths or (there and there.anchor in names.anchors[path])
            if edge.link.form is not LinkForm.SYMBOL and is_concerned:
                yield f"{edge.origin.path}:{edge.link.line + 1}: “{edge.link.target}” in the code; change it by hand."
