"""Sets of vectors that lie in the memory of this process, those asked for last."""

from __future__ import annotations

from typing import NamedTuple

from pinakes.postgres.held import Held
from pinakes.vectors.layout import VectorTable

_MOST_BYTES = 1_000_000_000


class TableName(NamedTuple):
    """A set of vectors in a database."""

    url: str
    number: int


HELD: Held[TableName, VectorTable] = Held(_MOST_BYTES)
"""Those of this process."""
