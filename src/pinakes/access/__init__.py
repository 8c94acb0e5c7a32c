"""Who may ask what: tokens that lie in a PostgreSQL database, and what each of them allows.

The text of a token enters, a `Grant` or the reason of a refusal leaves (`TokenTable`). What is asked and at which door
is not known here. The database is not opened, nor its client imported, until somebody asks it.
"""

from __future__ import annotations

from pinakes.access.grant import EVERYTHING, GRANT, Grant, TokenScope

__all__ = ["EVERYTHING", "GRANT", "Grant", "TokenScope"]
