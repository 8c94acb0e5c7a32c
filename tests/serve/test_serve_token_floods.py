"""Texts that look like tokens of a database, by the thousand: who has a right one is let in as before."""

from __future__ import annotations

import asyncio
import secrets
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from kits.store import migrated_database
from pinakes.access import TokenScope
from pinakes.access.tokens import TokenTable, TokenVerdict
from pinakes.errors import PinakesError
from pinakes.serve.http.options import ServeOptions
from pinakes.serve.http.token_keys import TokenKeys, token_keys

FLOOD = 1500
"""More than are remembered, and many more than are looked up at once."""


def keys() -> TokenKeys:
    return token_keys(ServeOptions(tokens_url=migrated_database().url))


def right_token() -> bytes:
    return TokenTable(migrated_database()).create(secrets.token_hex(8), TokenScope.READ, None, None)[0].encode()


def wrong_token() -> bytes:
    identity = "".join(secrets.choice("abcdefghijkmnpqrstuvwxyz23456789") for _ in range(12))
    return f"pinakes_{identity}_{secrets.token_urlsafe(32)}".encode()


async def came_of(asked: TokenKeys, token: bytes, doubted: str = "") -> str:
    try:
        verdict: TokenVerdict = await asked.verdict(token, doubted)
    except PinakesError as refused:
        return type(refused).__name__
    return verdict.reason or "right"


@contextmanager
def no_table() -> Iterator[None]:
    """While inside, the database refuses what is asked about tokens."""
    with migrated_database().transaction() as connection:
        connection.execute("ALTER TABLE tokens RENAME TO no_tokens")
    try:
        yield
    finally:
        with migrated_database().transaction() as connection:
            connection.execute("ALTER TABLE no_tokens RENAME TO tokens")


@contextmanager
def locked_table() -> Iterator[None]:
    """While inside, the database lets everybody wait who asks about tokens."""
    with migrated_database().transaction() as connection:
        connection.execute("LOCK TABLE tokens IN ACCESS EXCLUSIVE MODE")
        yield


def test_a_flood_from_one_address_leaves_room_for_a_token_that_nobody_knows_yet() -> None:
    async def flooded() -> tuple[list[str], str]:
        asked = keys()
        token = right_token()
        with locked_table():
            flood = [asyncio.ensure_future(came_of(asked, wrong_token(), "127.0.0.9")) for _ in range(FLOOD)]
            let_in = asyncio.ensure_future(came_of(asked, token))
            await asyncio.sleep(0)  # all have asked now
        try:
            return await asyncio.gather(*flood), await let_in
        finally:
            asked.close()

    wrong, right = asyncio.run(flooded())
    assert right == "right"
    assert set(wrong) == {"unknown", "Overloaded"}
    assert Counter(wrong)["unknown"] < 10


def test_a_flood_from_many_addresses_lets_nobody_wait_whose_token_was_right() -> None:
    async def flooded() -> str:
        asked = keys()
        token = right_token()
        assert await came_of(asked, token) == "right"
        try:
            for at in range(0, FLOOD, 50):
                await asyncio.gather(*(came_of(asked, wrong_token(), f"127.0.{at}.{n}") for n in range(50)))
            with no_table():
                return await came_of(asked, token)  # by what is remembered
        finally:
            asked.close()

    assert asyncio.run(flooded()) == "right"


def test_what_is_known_is_looked_up_again_beside_a_flood() -> None:
    async def flooded(patch: pytest.MonkeyPatch) -> str:
        patch.setattr("pinakes.serve.http.token_lookups.BELIEVED_S", 0.0)
        asked = keys()
        token = right_token()
        assert await came_of(asked, token) == "right"
        TokenTable(migrated_database()).revoke(token.decode().split("_")[1])
        flood = [asyncio.ensure_future(came_of(asked, wrong_token())) for _ in range(FLOOD)]
        await asyncio.sleep(0)
        try:
            return await came_of(asked, token)
        finally:
            await asyncio.gather(*flood)
            asked.close()

    with pytest.MonkeyPatch.context() as patch:
        assert asyncio.run(flooded(patch)) == "revoked"
