"""Convert a file in a process of its own, and live on whatever happens to it there.

A process is kept for the next file, because starting one costs more than most files. It ends by itself when it has
nothing to do for a while, or has become large.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
from threading import Lock, Timer

from msgspec import DecodeError, Struct

from pinakes.conversion.messages import ConversionAnswer, ConversionRequest, answer_of, encode
from pinakes.errors import Unfit
from pinakes.other_python import NEUTRAL, environment, python
from pinakes.pipes import receive, send
from pinakes.records.made_text import MadeText

_KEPT = 1
_MOST_ANSWER = 250_000_000
"""Bytes of an answer. The text in one has 20,000,000 letters at most; a process that a file took over may say more."""
_PATIENCE = 12
"""How many times longer than its own limit a process is waited for: on a busy machine it may hardly run."""


class ConversionLimits(Struct, frozen=True):
    """What one file may cost."""

    seconds: float = 20.0
    """Of computing."""
    patience_s: float = 20.0 * _PATIENCE
    """Of waiting."""


USUAL_LIMITS = ConversionLimits()


def convert(
    converter: str, data: bytes, name: str, *, base: str = "", limits: ConversionLimits = USUAL_LIMITS
) -> MadeText:
    """The text that `converter` makes of a file; raises `Unfit` when it cannot, or not within its limits."""
    request = ConversionRequest(converter, data, name, base, limits.seconds)
    process = _borrowed()
    answer = process.answer(request, limits.patience_s)
    if answer is None and not process.is_slow:
        # It may have ended between two files, as it does when it is idle, or was killed from outside.
        process = _Converter()
        answer = process.answer(request, limits.patience_s)
    if answer is None:
        if process.is_slow:
            raise Unfit(
                f"{name} takes too long to read: more than {limits.seconds:g} s.", "Take in a part of it, or its text."
            )
        raise Unfit(f"{name} cannot be read: its converter crashed on it.", "Take in its text instead.")
    _give_back(process)
    if answer.problem:
        raise Unfit(f"{name} {answer.problem}", answer.next_step)
    return answer.made


class _Converter:
    """One process that converts."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            python("-B", "-c", "from pinakes.conversion.child import main; main()"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd=NEUTRAL,
            env=environment(),
            # Ctrl-C is for us alone; it ends when its input does. With no terminal of its own, it can type into none.
            start_new_session=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to, self._from = self._process.stdin, self._process.stdout
        self._is_late = False

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    @property
    def is_slow(self) -> bool:
        """Whether it ended because of its limit of time."""
        return self._is_late or self._process.returncode == -getattr(signal, "SIGPROF", 0)

    def answer(self, request: ConversionRequest, patience_s: float) -> ConversionAnswer | None:
        """What became of a file; None when the process is no more."""
        timer = Timer(patience_s, self._give_up)
        timer.daemon = True
        timer.start()
        try:
            send(self._to.fileno(), encode(request))
            return answer_of(receive(self._from.fileno(), _MOST_ANSWER))
        except (BrokenPipeError, DecodeError):  # nothing is no answer either
            self.stop()
            return None
        finally:
            timer.cancel()

    def stop(self) -> None:
        """End it, unless it has ended; its exit code is that of its own end where it had one."""
        try:
            self._process.wait(1.0)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._to.close()
        self._from.close()

    def end(self) -> None:
        """End it at once; nothing is owed."""
        self._process.kill()
        self.stop()

    def _give_up(self) -> None:
        self._is_late = True
        self._process.kill()


_idle: list[_Converter] = []
_lock = Lock()


def _borrowed() -> _Converter:
    with _lock:
        while _idle:
            process = _idle.pop()
            if process.is_alive:
                return process
            process.stop()
    return _Converter()


def _give_back(process: _Converter) -> None:
    with _lock:
        if len(_idle) < _KEPT:
            _idle.append(process)
            return
    process.end()


def end_idle_converters() -> None:
    """Stop what is kept."""
    with _lock:
        while _idle:
            _idle.pop().end()


atexit.register(end_idle_converters)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_idle.clear)
