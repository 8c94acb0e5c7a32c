"""`pinakes mcp` as a process, met by clients that behave badly."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pytest

from kits.mcp import DOCUMENTS, ENVELOPE, HELLO, searches, talking
from kits.trees import write_tree
from pinakes.serve.mcp.early_handshake import HANDSHAKE_VERSIONS

pytest.importorskip("mcp")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "docs", DOCUMENTS)


@pytest.mark.parametrize("version", HANDSHAKE_VERSIONS)
def test_the_early_answer_to_a_handshake_is_the_one_the_sdk_would_give(root: Path, version: str) -> None:
    hello = {**HELLO, "protocolVersion": version}
    with talking(root) as talk:
        early = talk.ask("initialize", hello, asked=7)
    with talking(root) as talk:
        talk.raw(b"")
        talk.send("notifications/initialized")  # a first line that is no handshake, so the SDK answers what follows
        late = talk.ask("initialize", hello, asked=7)
    assert early == late


def test_the_early_answer_to_a_discovery_is_the_one_the_sdk_would_give(root: Path) -> None:
    with talking(root) as talk:
        early = talk.ask("server/discover", {"_meta": ENVELOPE}, asked="a")
    with talking(root) as talk:
        talk.ask("tools/list", {"_meta": ENVELOPE}, asked="b")
        late = talk.ask("server/discover", {"_meta": ENVELOPE}, asked="a")
    assert early == late


def test_a_handshake_is_answered_once(root: Path) -> None:
    with talking(root) as talk:
        talk.greet()
        talk.ask("tools/list", asked=2)
        code, rest = talk.end()
    assert (code, rest) == (0, [])


def test_an_unusual_handshake_is_left_to_the_sdk(root: Path) -> None:
    with talking(root) as talk:
        answer = talk.ask("initialize", {**HELLO, "protocolVersion": "1999-01-01"}, asked=1)
        assert answer["result"]["protocolVersion"] == "2025-11-25"
    for params in ({}, {**HELLO, "capabilities": {"roots": 5}}, {**HELLO, "clientInfo": {"name": "x"}}):
        with talking(root) as talk:
            assert "error" in talk.ask("initialize", params, asked=1)


def test_garbage_is_answered_with_errors_and_the_next_request_is_served(root: Path) -> None:
    with talking(root) as talk:
        talk.greet()
        for garbage, code in (
            (b"this is no JSON", -32700),
            (b'{"jsonrpc":"2.0","id":1,', -32700),
            (b"[1,2,3]", -32600),
            (b'{"jsonrpc":"1.0","method":"ping","id":1}', -32600),
            (b"\xff\xfe\x00", -32700),
            (b"[" * 100_000, -32700),
        ):
            talk.raw(garbage)
            assert talk.hear()["error"]["code"] == code, garbage[:40]
        talk.raw(b"   ")
        assert talk.ask("ping", asked=9)["result"] == {}


def test_unknown_methods_tools_and_arguments_are_refused_with_words(root: Path) -> None:
    with talking(root) as talk:
        talk.greet()
        assert talk.ask("no/such/method")["error"]["code"] == -32601
        assert talk.ask("tools/call", {"name": "erase"})["error"]["code"] == -32602
        assert talk.ask("tools/call", {})["error"]["code"] == -32602
        refused = talk.call("search", quer="x")["result"]
        assert refused["isError"]
        assert refused["content"][0]["text"] == "There is no parameter “quer”. Did you mean query?"
        for arguments in (
            {},
            {"query": 3},
            {"query": "x", "limit": 10**9},
            {"query": "x", "limit": -1},
            {"query": "x", "limit": "many"},
            {"query": "x", "detail": "all"},
            {"query": "x", "paths": {"a": 1}},
            {"query": "x", "kinds": ["poem"]},
            {"query": "x", "linked_to": "../../etc/passwd"},
            {"query": "x", "library": "other"},
        ):
            answer = talk.call("search", **arguments)["result"]
            assert answer["isError"], arguments
            assert "Traceback" not in answer["content"][0]["text"]


def test_a_request_of_five_megabytes_is_refused_and_the_next_one_served(root: Path) -> None:
    with talking(root) as talk:
        talk.greet()
        answer = talk.call("search", query="x" * 5_000_000)["result"]
        assert answer["isError"]
        assert "Give at most 10,000 characters." in answer["content"][0]["text"]
        talk.raw(b'{"jsonrpc":"2.0","id":3,"method":"ping","params":{"x":"' + b"y" * 17_000_000 + b'"}}')
        assert talk.hear()["error"]["message"] == "A request may have 16 MB at most."
        assert talk.ask("ping", asked=4)["result"] == {}


def test_two_hundred_pipelined_calls_are_all_answered(root: Path) -> None:
    with talking(root) as talk:
        talk.greet()
        sender = threading.Thread(target=talk.raw, args=(searches(200),))
        sender.start()
        heard: list[dict[str, Any]] = []
        while len(heard) < 200:
            if "id" in (said := talk.hear()):  # and not a message for the log
                heard.append(said)
        sender.join()
        assert talk.end() == (0, [])
    assert sorted(one["id"] for one in heard) == list(range(200))
    assert not any(one["result"]["isError"] for one in heard)


def test_what_was_asked_before_the_input_ended_is_answered(root: Path) -> None:
    with talking(root) as talk:
        talk.greet()
        talk.call("search", query="tokens")
        talk.raw(searches(5))
        code, rest = talk.end()
    assert code == 0
    assert sorted(one["id"] for one in rest) == list(range(5))


NOISE = """
import os, subprocess, sys, threading
def shout():
    with open(os.environ["ORDERS"], "rb", 0) as orders, open(os.environ["DONE"], "wb", 0) as done:
        while orders.read(1):
            print("noise"); sys.stdout.flush(); sys.__stdout__.write("noise of old\\n"); sys.__stdout__.flush()
            os.write(1, b"noise from below\\n"); subprocess.run(["echo", "noise of a child"])
            done.write(b".")
if "mcp" in sys.orig_argv:
    threading.Thread(target=shout, daemon=True).start()
"""
"""A module that Python imports at every start: it prints, uses the first stream, writes to the descriptor and has a
child do so, each time it is ordered to."""


def test_nothing_but_the_protocol_reaches_stdout_whatever_is_printed_or_started(root: Path, tmp_path: Path) -> None:
    write_tree(tmp_path / "site", {"sitecustomize.py": NOISE})
    ordered, done = tmp_path / "ordered", tmp_path / "done"
    os.mkfifo(ordered)
    os.mkfifo(done)
    environment = {"PYTHONPATH": str(tmp_path / "site"), "ORDERS": str(ordered), "DONE": str(done)}
    with (tmp_path / "stderr").open("wb") as stderr, talking(root, environment=environment, stderr=stderr) as talk:
        talk.greet()
        with ordered.open("wb", 0) as orders, done.open("rb", 0) as shouted:
            for number in range(20):
                orders.write(b".")
                assert not talk.call("search", number, query="when do tokens expire?")["result"]["isError"]
                assert shouted.read(1) == b"."
        code, rest = talk.end()
    assert (code, rest) == (0, [])
    heard = (tmp_path / "stderr").read_text().splitlines()
    assert {line: heard.count(line) for line in heard} == dict.fromkeys(
        ("noise", "noise of old", "noise from below", "noise of a child"), 20
    )


@pytest.mark.parametrize("closed", ["2>&-", "2>/dev/null", "2>/dev/full"])
def test_without_a_place_for_complaints_the_protocol_is_spoken_all_the_same(root: Path, closed: str) -> None:
    with talking(root, prelude=["sh", "-c", f'exec "$@" {closed}', "sh"]) as talk:
        talk.greet()
        assert not talk.call("search", query="when do tokens expire?")["result"]["isError"]
        assert talk.end() == (0, [])


def test_forty_descriptors_are_enough(root: Path) -> None:
    with talking(root, prelude=["sh", "-c", 'ulimit -n 40; exec "$@"', "sh"]) as talk:
        talk.greet()
        assert not talk.call("search", query="when do tokens expire?")["result"]["isError"]
        assert talk.end() == (0, [])


def test_a_folder_that_is_not_there_is_told_on_stderr_with_exit_code_two(tmp_path: Path) -> None:
    with talking(tmp_path / "nowhere") as talk:
        code, rest = talk.end()
    assert (code, rest) == (2, [])
