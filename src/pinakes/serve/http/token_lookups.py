"""Looking up tokens in a database: in threads, and believed for a moment.

Texts of tokens enter, verdicts leave. Many requests in a row ask once, and a token that was revoked is refused a moment
later. Anybody can make texts that look like tokens, as many as he likes. So what allows something is remembered and
looked up apart from what nobody knows yet, and who showed many wrong ones has but a few looked up at once.
"""

from __future__ import annotations

import asyncio
import hashlib
import time
from collections import Counter, OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from pinakes.access.tokens import UNKNOWN, TokenVerdict
from pinakes.errors import StoreError
from pinakes.serve.pool import Overloaded

BELIEVED_S = 1.0
"""How long a verdict is believed; then a token may have expired or been revoked."""
_WITHOUT_DATABASE_S = 10.0
"""How long it is believed when the database does not answer: another server of it may be taking over."""
_MOST_RIGHT, _MOST_WRONG = 1000, 100
"""Verdicts that are remembered."""
_MOST_ASKED = 64
"""Tokens that are looked up at once: so many of those that were right, and so many others."""
_MOST_DOUBTED = 2
"""Of them for each address that showed many wrong ones."""
_THREADS = 2


class TokenLookups:
    """Asks `table` about tokens, which blocks and raises `StoreError`. Used on one event loop."""

    def __init__(self, table: Callable[[str], TokenVerdict]) -> None:
        self._table = table
        self._right = _Remembered(_MOST_RIGHT)
        self._wrong = _Remembered(_MOST_WRONG)
        self._again = ThreadPoolExecutor(_THREADS, "pinakes-tokens")
        self._strange = ThreadPoolExecutor(_THREADS, "pinakes-new-tokens")
        self._asking: dict[bytes, asyncio.Future[TokenVerdict]] = {}
        self._strangers = 0
        """How many of them nobody knows yet."""
        self._doubted: Counter[str] = Counter()
        """By address: how many of them it showed, if it showed many wrong ones before."""

    async def verdict(self, text: str, doubted: str) -> TokenVerdict:
        """What became of a token; `doubted` is the address that shows it, if it showed many wrong ones. Raises
        `StoreError` and `Overloaded`."""
        key = hashlib.sha256(text.encode()).digest()
        then, known = self._right.get(key) or self._wrong.get(key) or (float("-inf"), UNKNOWN)
        age = time.monotonic() - then
        if age < BELIEVED_S:
            return known
        try:
            return await self._asked(key, text, doubted)
        except (StoreError, Overloaded):
            if age < _WITHOUT_DATABASE_S:
                return known
            raise

    def close(self) -> None:
        """Start no more lookups."""
        for threads in (self._again, self._strange):
            threads.shutdown(wait=False, cancel_futures=True)

    async def _asked(self, key: bytes, text: str, doubted: str) -> TokenVerdict:
        """Look a token up; who asks for the same one meanwhile waits for the same answer."""
        if (asking := self._asking.get(key)) is not None:
            return await asyncio.shield(asking)
        is_known = self._right.get(key) is not None
        taken = len(self._asking) - self._strangers if is_known else self._strangers
        if taken >= _MOST_ASKED or (not is_known and self._doubted[doubted] >= _MOST_DOUBTED):
            raise Overloaded("Too many tokens are being looked up.", "Come back in a few seconds.")
        try:
            looked_up = (self._again if is_known else self._strange).submit(self._table, text)
        except RuntimeError:
            raise Overloaded("The server is ending.", "Come back when it runs again.") from None
        self._asking[key] = asking = asyncio.wrap_future(looked_up)
        if not is_known:
            self._strangers += 1
            self._doubted.update([doubted] if doubted else [])
            asking.add_done_callback(lambda _: self._stranger_left(doubted))
        asking.add_done_callback(lambda done: self._answered(key, done))
        return await asyncio.shield(asking)

    def _stranger_left(self, doubted: str) -> None:
        self._strangers -= 1
        self._doubted[doubted] -= 1
        if self._doubted[doubted] <= 0:
            del self._doubted[doubted]

    def _answered(self, key: bytes, done: asyncio.Future[TokenVerdict]) -> None:
        self._asking.pop(key, None)
        if done.cancelled() or done.exception() is not None:
            return
        verdict = done.result()
        self._right.drop(key)
        self._wrong.drop(key)
        (self._wrong if verdict.grant is None else self._right).put(key, verdict)


class _Remembered:
    """By the digest of a token: when it was looked up, and what was found. The oldest are forgotten."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._found: OrderedDict[bytes, tuple[float, TokenVerdict]] = OrderedDict()

    def get(self, key: bytes) -> tuple[float, TokenVerdict] | None:
        return self._found.get(key)

    def drop(self, key: bytes) -> None:
        self._found.pop(key, None)

    def put(self, key: bytes, verdict: TokenVerdict) -> None:
        self._found[key] = time.monotonic(), verdict
        if len(self._found) > self._most:
            self._found.popitem(last=False)
