"""What happened to which document, and when: the two tables that derived parts follow.

Numbers of documents enter with the generation they changed or went in; a `Feed` leaves.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pinakes.records import Feed
from pinakes.store.tables.connection import Tables
from pinakes.store.tables.read import Meta, meta
from pinakes.store.tables.statements import INSERT_GONE

REMEMBERED = 100_000
"""Documents that went and are still known by number: more than a part can miss and still be worth catching up."""


def feed(connection: Tables, since: int, known: Meta | None = None) -> Feed:
    """`known` is where the store is, if that was read already."""
    generation, floor, history = known or meta(connection)
    # A generation that was never reached belongs to another database.
    is_whole = since <= 0 or not floor <= since <= generation
    if since == generation and not is_whole:
        return Feed(generation, (), (), history=history)  # asked before every question: not worth a look at the tables
    start = -1 if is_whole else since
    changed = connection.all("SELECT document FROM changes WHERE generation > ? ORDER BY document", (start,))
    gone = () if is_whole else connection.all("SELECT number FROM gone WHERE generation > ? ORDER BY number", (start,))
    return Feed(
        generation=generation,
        changed=tuple([number for (number,) in changed]),
        gone=tuple([number for (number,) in gone]),
        is_whole=is_whole,
        history=history,
    )


def note_changed(connection: Tables, numbers: Iterable[int], generation: int) -> None:
    """Numbers of files that are no documents are passed over."""
    connection.many(
        "UPDATE changes SET generation = ? WHERE document = ?", ((generation, number) for number in sorted(numbers))
    )


def note_gone(connection: Tables, numbers: Collection[int], generation: int) -> None:
    """Past the limit the oldest are forgotten, and whoever has not heard of them yet must start over."""
    if not numbers:
        return
    connection.many(INSERT_GONE, ((generation, number) for number in numbers))
    over = connection.all("SELECT count(*) FROM gone")[0][0] - REMEMBERED
    if over > 0:
        oldest = "SELECT generation, number FROM gone ORDER BY generation, number LIMIT ?"
        connection.run(f"UPDATE meta SET floor = (SELECT max(generation) FROM ({oldest}))", (over,))
        connection.run(f"DELETE FROM gone WHERE (generation, number) IN ({oldest})", (over,))
