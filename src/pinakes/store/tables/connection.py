"""What the statements need of a connection: rows go in and out, together or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Protocol, TypeAlias

SqlValue: TypeAlias = "str | bytes | int | float | None"
Row: TypeAlias = tuple[Any, ...]
"""As the driver gives them: the schema, not the type checker, knows the columns."""


class Tables(Protocol):
    """A connection to the tables of one index. Texts may hold lone surrogates and come back as they were."""

    def all(self, sql: str, values: Sequence[SqlValue] = ()) -> list[Row]:
        """Every row at once."""
        ...

    def one(self, sql: str, values: Sequence[SqlValue] = ()) -> Row | None: ...

    def run(self, sql: str, values: Sequence[SqlValue] = ()) -> None: ...

    def many(self, sql: str, rows: Iterable[Sequence[SqlValue]]) -> None:
        """Run a statement once for each row."""
        ...

    def transaction(self) -> AbstractContextManager[None]:
        """Everything written inside is kept together or not at all; joins the transaction under way."""
        ...
