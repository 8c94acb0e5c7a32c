"""What a process of a server inherits from its supervisor: sockets, and how it tells that it is ready."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from select import select

from msgspec import Struct

from pinakes.serve.workers.board import Board


class Child(Struct, frozen=True):
    """One place among the processes of a server. Whoever takes it again after a death finds the same sockets."""

    number: int
    """From 0; the writer comes after the workers."""
    name: str
    """In sentences and metrics."""
    own_socket: socket.socket
    """Where the other processes reach it; it listens already."""
    paths: tuple[str, ...]
    """Of the own sockets of all places."""
    board: Board
    life: int
    """A descriptor that can be read when the supervisor has ended."""
    ready: int
    """A descriptor to write to."""
    handed: socket.socket
    """Where connections come from; each is one byte with a descriptor."""

    def say_ready(self) -> None:
        """Tell the supervisor that this process answers."""
        with suppress(OSError):
            os.write(self.ready, bytes((self.number,)))

    @property
    def is_orphan(self) -> bool:
        """Whether the supervisor has ended."""
        return bool(select([self.life], [], [], 0)[0])
