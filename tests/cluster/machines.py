"""The machines of a cluster, all on this one: a primary with a replica, the network to them, servers that answer.

Everything is started by `Cluster` and ended by it, by the numbers of its processes.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from urllib.parse import urlencode

import psycopg
from msgspec import Struct

from kits.postgres import PostgresServer, free_port
from kits.proxy import CutNetwork
from kits.trees import write_tree
from kits.waiting import until
from pinakes.index import QUICK

TOKEN = "a-token-of-this-cluster-alone"
LIBRARY = "handbook"
DOCUMENTS = 60
_SETTINGS = (
    "synchronous_commit=on",
    "hot_standby_feedback=on",
    "wal_retrieve_retry_interval=500ms",
    "max_connections=60",
)
_PATIENCE_S = 15.0
"""For one answer; a server gives up before that by itself."""


class Reply(Struct, frozen=True):
    """What a server answered to a question."""

    status: int
    """0 where it did not answer at all."""
    hits: tuple[str, ...] = ()
    says: str = ""
    """Why an answer is not whole, or is none."""


class Member:
    """One command of Pinakes that stays, as a process of its own."""

    def __init__(self, name: str, words: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self.name = name
        self._command = [sys.executable, "-m", "pinakes", *words]
        own = {f"XDG_{kind}_HOME": str(folder / f"{name}-{kind.lower()}") for kind in ("DATA", "CACHE", "CONFIG")}
        self._environment = {**environment, **own}
        self._folder = folder
        self._log = folder / f"{name}.log"
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def number(self) -> int:
        """Of the process; 0 when there is none."""
        return self._process.pid if self._process is not None else 0

    def start(self) -> None:
        """Start it; returns at once."""
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                self._command, stdout=log, stderr=log, env=self._environment, cwd=self._folder
            )

    def kill(self) -> None:
        """End it as a crash does."""
        if self._process is not None:
            self._process.kill()
            self._process.wait(30)
            self._process = None

    def log(self) -> str:
        return self._log.read_text("utf-8", "replace") if self._log.exists() else ""


class AnsweringServer(Member):
    """One `pinakes serve` of all libraries of the database, which nobody mends behind its back."""

    def __init__(self, name: str, folder: Path, environment: Mapping[str, str]) -> None:
        self.port = free_port()
        super().__init__(name, ("serve", "--port", str(self.port)), folder, environment)

    def is_ready(self) -> bool:
        return self._get("/ready").status == 200

    def search(self, question: str) -> Reply:
        """The hits of a question, by words alone: what they are does not change from run to run."""
        return self._get(f"/search?{urlencode({'query': question, 'limit': 5, 'library': LIBRARY})}")

    def _get(self, path: str) -> Reply:
        connection = HTTPConnection("127.0.0.1", self.port, timeout=_PATIENCE_S)
        try:
            connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
            answer = connection.getresponse()
            found = json.loads(answer.read() or b"{}")
        except (OSError, HTTPException, ValueError) as error:
            return Reply(0, says=f"{type(error).__name__}: {error}")
        finally:
            connection.close()
        hits = tuple([str(hit["ref"]) for hit in found.get("hits", ())])
        return Reply(answer.status, hits, " ".join([str(found.get("detail", "")), *map(str, found.get("missing", ()))]))


class Cluster:
    """Databases at two ports, a network in front of each, two servers that know both, and two workers, which whoever
    has work for them starts."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        root = write_tree(folder / LIBRARY, dict(map(_page, range(DOCUMENTS))))
        self.primary = PostgresServer(*_SETTINGS)
        self._own: list[PostgresServer] = [self.primary]
        self.networks = [CutNetwork(port) for port in (self.primary.port, free_port())]
        self._ports = [self.primary.port, self.networks[1].target_port]
        self.replica = self._new_replica(self._ports[1])
        self._environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("PINAKES_", "XDG_"))},
            "HOME": str(folder),
            "PINAKES_STORE_URL": self.url,
            "PINAKES_STORE_READ_URLS": json.dumps([self._url(network.port) for network in self.networks]),
        }
        own = {
            **self._environment,
            "PINAKES_TOKEN": TOKEN,
            "PINAKES_WORKERS": "1",
            "PINAKES_NEURAL_MODEL": QUICK,  # a better one is added in the background, and answers change meanwhile
        }
        self.run("migrate")
        sync = ("sync", "--root", str(root), "--wait")
        self.run(*sync, environment={**own, "PINAKES_STORE_LIBRARY": LIBRARY})
        self.servers = [AnsweringServer(name, folder, own) for name in ("one", "two")]
        self.workers = [Member(name, ("worker",), folder, self._environment) for name in ("three", "four")]
        for server in self.servers:
            server.start()
        for server in self.servers:
            until(server.is_ready, f"the server {server.name} answers")

    @property
    def url(self) -> str:
        """Of whichever database takes writes."""
        hosts = ",".join(f"127.0.0.1:{network.port}" for network in self.networks)
        return self.primary.url().replace(f"127.0.0.1:{self.primary.port}", hosts) + "?target_session_attrs=read-write"

    def run(self, *words: str, environment: Mapping[str, str] | None = None) -> str:
        """What a command of Pinakes prints, which must succeed."""
        command = [sys.executable, "-m", "pinakes", *words]
        done = subprocess.run(
            command, env=environment or self._environment, capture_output=True, text=True, cwd=self.folder, check=False
        )
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    def ask(self, statement: str) -> list[tuple[object, ...]]:
        """Rows of the present primary, past the network."""
        with psycopg.connect(self.primary.url()) as connection:
            return connection.execute(statement.encode()).fetchall()

    def fail_over(self) -> None:
        """Lose the primary and promote the replica."""
        self.primary.kill_all()
        self.replica.promote()
        self.primary, self.replica = self.replica, self.primary

    def replace_lost(self) -> None:
        """Put a new replica in the place of the primary that was lost."""
        lost = self.replica
        port = lost.port
        lost.close()
        self._own.remove(lost)
        self.replica = self._new_replica(port)

    def cut(self) -> None:
        for network in self.networks:
            network.cut()

    def mend(self) -> None:
        for network in self.networks:
            network.mend()

    def close(self) -> None:
        """End everything."""
        for member in (*getattr(self, "servers", ()), *getattr(self, "workers", ())):
            member.kill()
        for network in self.networks:
            network.close()
        for one in reversed(self._own):
            with suppress(AssertionError):
                one.close()

    def _new_replica(self, port: int) -> PostgresServer:
        replica = PostgresServer(*_SETTINGS, primary=self.primary, port=port)
        self._own.append(replica)
        with psycopg.connect(self.primary.url(), autocommit=True) as connection:
            connection.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            connection.execute("SELECT pg_reload_conf()")
            # What was acknowledged before a replica had to confirm it must have come there, too.
            (reached,) = connection.execute("SELECT pg_current_wal_lsn()").fetchone() or ("",)
            asked = "SELECT FROM pg_stat_replication WHERE sync_state = 'sync' AND flush_lsn >= %s::pg_lsn"
            until(lambda: connection.execute(asked, (reached,)).fetchone() is not None, "the replica confirms writes")
        return replica

    def _url(self, port: int) -> str:
        return self.primary.url().replace(f":{self.primary.port}/", f":{port}/")


def _page(number: int) -> tuple[str, str]:
    text = f"# Page {number}\n\nThe lamp {word(number)} burns in the house number {number}.\n\n"
    return (
        f"part-{number % 7}/page-{number}.md",
        text + f"## Oil\n\n{word(number)} takes oil, see [next](page-{number + 7}.md).\n",
    )


def word(number: int) -> str:
    """A word that stands in one document alone."""
    letters = "abcdefghij"
    return "zq" + "".join(letters[int(digit)] for digit in f"{number:03d}") + "ux"
