"""The process that converts: it reads requests until its input ends, and answers each.

It is confined before it sees the first file. It ends by itself when nothing came for a while, or when it has become
large; whoever asks next starts another.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from collections.abc import Callable
from importlib import import_module

from pinakes.conversion.confined import confine, peak_bytes
from pinakes.conversion.messages import ConversionAnswer, ConversionRequest, encode, request_of
from pinakes.errors import Unfit
from pinakes.pipes import receive, send
from pinakes.records.made_text import MadeText

MOST_TEXT = 20_000_000
"""Bytes of text that are taken from one file."""
_IDLE_S = 30.0
_LARGE = 400_000_000
"""Bytes of memory from which on it makes room after an answer."""


def main() -> None:
    """Answer requests."""
    arrivals, departures = os.dup(0), os.dup(1)
    os.dup2(2, 1)  # whatever a library prints never stands between two answers
    confine()
    while _waits(arrivals) and (data := receive(arrivals)):
        send(departures, encode(_answer(request_of(data))))
        if peak_bytes() > _LARGE:
            return


def _waits(arrivals: int) -> bool:
    if sys.platform == "win32":
        return True  # pipes cannot be polled there
    return bool(select.select([arrivals], [], [], _IDLE_S)[0])


def _answer(request: ConversionRequest) -> ConversionAnswer:
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, request.seconds)
    try:
        made = _converter(request.converter)(request.data, request.name, request.base)
        if len(made.text) > MOST_TEXT:
            raise Unfit(f"holds more than {MOST_TEXT:,} characters of text.", "Take in the part that matters.")
        return ConversionAnswer(_whole(made))
    except Unfit as unfit:
        return ConversionAnswer(problem=unfit.problem, next_step=unfit.next_step)
    except MemoryError:
        return ConversionAnswer(problem="takes too much memory to read.", next_step="Take in a part of it.")
    except RecursionError:
        return ConversionAnswer(problem="is nested too deeply to be read.", next_step="Take in its text instead.")
    except Exception as error:  # noqa: BLE001 - converters are others' code, and a file may make them raise anything
        said = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        return ConversionAnswer(problem=f"cannot be read: {said}.", next_step="Take in its text instead.")
    finally:
        if hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_PROF, 0)


def _whole(made: MadeText) -> MadeText:
    """The text as UTF-8 can hold it."""
    made.text.encode()
    return made


def _converter(name: str) -> Callable[[bytes, str, str], MadeText]:
    module, _, function = name.partition(":")
    found: Callable[[bytes, str, str], MadeText] = getattr(import_module(module), function)
    return found
