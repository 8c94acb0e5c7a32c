"""Asks many addresses without troubling their servers.

Addresses enter, answers leave. A host gets one request at a time, with a pause between two; hosts are asked side by
side. What may pass is tried again after a while. A host that stays silent, is unknown or wants to be left alone is
not asked for the rest of its addresses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Event, Thread
from urllib.parse import urlsplit

from msgspec import Struct

from pinakes.records.web import WebAnswer, WebState

AskAddress = Callable[[str], WebAnswer]
"""Asks one address once."""

_HOSTS_AT_ONCE = 8
_LONGEST_WAIT_S = 30.0
"""A server that wants to be left alone for longer is not waited for."""
_FIRST_WAIT_S = 1.0
_SILENT_AT_MOST = 2
"""Addresses of a host in a row without an answer, after which the rest is not tried."""
_TOO_MANY = 429


class Politeness(Struct, frozen=True):
    """How patient and how polite."""

    retries: int
    delay_s: float
    """Between two requests to one host."""


def ask_all(
    addresses: Sequence[str], ask: AskAddress, manners: Politeness, between: Callable[[str, WebAnswer], None]
) -> dict[str, WebAnswer]:
    """The answer for each address; `between` hears of each one in this thread, and may raise to end it all."""
    hosts: dict[str, list[str]] = {}
    for address in addresses:
        hosts.setdefault(_host(address), []).append(address)
    waiting: SimpleQueue[list[str]] = SimpleQueue()
    for some in hosts.values():
        waiting.put(some)
    answers: SimpleQueue[tuple[str, WebAnswer] | None] = SimpleQueue()
    stop = Event()

    def work() -> None:
        with suppress(Empty):
            while not stop.is_set():
                some = waiting.get_nowait()
                try:
                    for answer in _ask_host(some, ask, manners, stop):
                        answers.put(answer)
                finally:
                    answers.put(None)  # this host is done, whatever became of it

    # A pool of the standard library is waited for at the end, and a slow server would keep Ctrl-C waiting.
    for _ in range(min(_HOSTS_AT_ONCE, len(hosts))):
        Thread(target=work, daemon=True, name="web").start()
    found: dict[str, WebAnswer] = {}
    done = 0
    try:
        while done < len(hosts):
            answer = answers.get()
            if answer is None:
                done += 1
                continue
            found[answer[0]] = answer[1]
            between(*answer)
    finally:
        stop.set()
    return found


def _host(address: str) -> str:
    try:
        return urlsplit(address).netloc.lower()
    except ValueError:
        return ""


def _ask_host(
    addresses: Sequence[str], ask: AskAddress, manners: Politeness, stop: Event
) -> Iterator[tuple[str, WebAnswer]]:
    """One host's addresses, one after the other."""
    silent = 0
    for number, address in enumerate(addresses):
        if number and stop.wait(manners.delay_s):
            return
        answer = _ask_patiently(address, ask, manners.retries, stop)
        yield address, answer
        silent = silent + 1 if answer.state is WebState.SILENT else 0
        if answer.state is WebState.NO_HOST or answer.wait_s > _LONGEST_WAIT_S or silent >= _SILENT_AT_MOST:
            rest = answer
            if answer.status:
                rest = WebAnswer(WebState.SILENT, trouble=f"the server asks to wait {answer.wait_s:.0f} s")
            yield from ((other, rest) for other in addresses[number + 1 :])
            return


def _ask_patiently(address: str, ask: AskAddress, retries: int, stop: Event) -> WebAnswer:
    answer = ask(address)
    for trial in range(retries):
        if not _may_pass(answer) or answer.wait_s > _LONGEST_WAIT_S:
            break
        if stop.wait(answer.wait_s or _FIRST_WAIT_S * 2**trial):
            break
        answer = ask(address)
    return answer


def _may_pass(answer: WebAnswer) -> bool:
    """Whether the next try may fare better."""
    return answer.state is WebState.SILENT or answer.status == _TOO_MANY or 500 <= answer.status <= 599
