"""Which sections elsewhere are about the same?

The material enters, a part without files leaves; its facts name for each document a few sections of others, the nearest
first. Vectors are those that search has. They are computed for all documents together and kept in the manifest, since
a new document can be the nearest to any other.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from pinakes.publish.alike import DECIMALS, ByVectors
from pinakes.publish.material import Material
from pinakes.publish.part import Facts, FolderPart, PartFiles, digest_of
from pinakes.records import ChunkId, Layout
from pinakes.render import Json, one_line

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NAME = "related"
Near = Mapping[str, Sequence[tuple[str, str, str]]]
"""By the place of a document's page: page, anchor and title of the sections nearest to it."""
_MOST = 4
_NEAR = 0.25
"""How far above the embedder's noise a section must be, of what is left to 1."""
_AT_ONCE = 512
_LOOKED_AT = 64
"""Sections that are compared again, exactly."""


def related_part(material: Material, known: Mapping[str, Facts]) -> Iterator[FolderPart]:
    """The sections nearest to each document; nothing without an embedder."""
    if material.site.pages and isinstance(material.comparing, ByVectors):
        inputs = digest_of(material.settings, [(one.ref.path, one.digest) for one in material.outlines])
        yield FolderPart(NAME, inputs, lambda: PartFiles((), {"sections": _related(material)}))


def near_sections(known: Mapping[str, Facts]) -> Near:
    """What an earlier part found."""
    held = known.get(NAME, {}).get("sections")
    found: dict[str, list[tuple[str, str, str]]] = {}
    for place, rows in held.items() if isinstance(held, dict) else ():
        for row in rows if isinstance(rows, list) else ():
            match row:
                case [str(other), str(anchor), str(title)]:
                    found.setdefault(place, []).append((other, anchor, title))
    return found


def _related(material: Material) -> Json:
    import numpy as np

    assert isinstance(material.comparing, ByVectors)
    pages = material.site.pages
    owners: list[int] = []
    rows: list[tuple[str, str, str]] = []
    ids: list[ChunkId] = []
    outlines = [one for one in material.outlines if one.media.layout is not Layout.DRAWING]
    for number, numbered in enumerate(material.documents(outlines)):
        document = numbered.document
        for chunk in numbered.chunks:
            if chunk.parent == chunk.ordinal:
                section = document.sections[chunk.section]
                owners.append(number)
                rows.append(
                    (pages[document.ref.path].place, section.anchor, one_line(section.title or document.title, 200))
                )
                ids.append(ChunkId(numbered.number, chunk.ordinal))
    if not ids:
        return {}
    held = material.comparing.section_vectors(ids)
    owner = np.array(owners)
    whole = np.zeros((len(outlines), held.shape[1]), dtype=np.float64)
    np.add.at(whole, owner, held)
    lengths = np.sqrt(np.einsum("ij,ij->i", whole, whole))
    lengths[lengths == 0.0] = 1.0
    whole /= lengths[:, None]
    least = material.comparing.threshold + (1 - material.comparing.threshold) * _NEAR
    found: dict[str, Json] = {}
    for first in range(0, len(outlines), _AT_ONCE):
        near = whole[first : first + _AT_ONCE].astype(np.float32) @ held.T
        for row, roughly in enumerate(near):
            own = first + row
            roughly[owner == own] = -1.0
            some = _nearest(roughly)
            # One by one: how BLAS adds, and so the last digits, depends on the machine and what else it does.
            cosines = np.round(np.einsum("ij,j->i", held[some].astype(np.float64), whole[own]), DECIMALS)
            places = [
                (-cosine, at) for cosine, at in zip(cosines.tolist(), some.tolist(), strict=True) if cosine >= least
            ]
            best = _one_of_each(sorted(places), owners)
            if best:
                found[pages[outlines[own].ref.path].place] = [list(rows[at]) for at in best]
    return found


def _nearest(cosines: NDArray[np.float32]) -> NDArray[np.intp]:
    """The positions of the greatest, those that come first where many are equal. To sort a hundred takes a tenth of the
    time of sorting all."""
    import numpy as np

    if len(cosines) <= _LOOKED_AT:
        return np.argsort(-cosines, kind="stable")
    least = np.partition(cosines, -_LOOKED_AT)[-_LOOKED_AT]
    some = np.flatnonzero(cosines >= least)
    return some[np.argsort(-cosines[some], kind="stable")[:_LOOKED_AT]]


def _one_of_each(places: Sequence[tuple[float, int]], owners: Sequence[int]) -> list[int]:
    """The nearest section of each other document."""
    seen: dict[int, int] = {}
    for _, at in places:
        seen.setdefault(owners[at], at)
    return [*seen.values()][:_MOST]
