"""Links to the web, against real servers on loopback."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler
from pathlib import Path

import pytest

import pinakes
from kits.trees import write_tree
from kits.web import Web, self_signed, send, web
from pinakes.added.addresses import AllowedHosts
from pinakes.added.probe import probe
from pinakes.check import Code, Finding, WebCheck
from pinakes.check.web import WebLink, accepted_codes, web_findings
from pinakes.errors import ConfigError
from pinakes.records import DOCS, Ref
from pinakes.records.sync import Event, Phase
from pinakes.records.web import WebAnswer, WebState

LET_IN = {"added.allow": ["127.0.0.1", "127.0.0.2"], "check.host_delay_s": 0.0, "check.retries": 0}
FRESH = WebCheck()


@pytest.fixture(autouse=True)
def _own_cache(new_user: Path) -> None:
    """Answers that earlier tests got are nobody's."""


@pytest.fixture
def server() -> Iterator[Web]:
    with web() as served:
        yield served


def found(
    root: Path, settings: Mapping[str, object] | None = None, check: WebCheck = FRESH, under: str = ""
) -> list[Finding]:
    """What is wrong with the links to the web of a folder."""
    with pinakes.open(root, {**LET_IN, **(settings or {})}) as library:
        library.sync()
        return [one for one in library.check(under, external=check) if "web-link" in one.code]


def said(findings: list[Finding]) -> list[str]:
    return [f"{one.ref.path}:{one.line} {one.code} {one.message.partition(': ')[2]}" for one in findings]


def status(server: Web, path: str, code: int, **headers: str) -> str:
    """A page that always answers with this status."""
    server.answers[path] = lambda handler: send(handler, b"words", "text/plain", headers, code)
    return server.url(path)


def test_each_answer_means_what_it_says(server: Web, tmp_path: Path) -> None:
    server.page("/good", "here")
    server.redirect("/moved", "/good", 301)
    server.redirect("/lent", "/good", 302)
    server.redirect("/round", "/round")
    codes = {200: "good", 404: "gone", 410: "gone too", 403: "hidden", 500: "broken", 503: "busy"}
    text = "".join(f"[{word}]({status(server, f'/{code}', code)})\n" for code, word in codes.items())
    pages = "".join(f"[{path}]({server.url(path)})\n" for path in ("/good#part", "/moved#part", "/lent", "/round"))
    write_tree(tmp_path, {"README.md": f"# A\n\n{text}{pages}"})
    findings = found(tmp_path)
    assert said(findings) == [
        "README.md:4 broken-web-link the server answers with status 404",
        "README.md:5 broken-web-link the server answers with status 410",
        "README.md:6 unanswered-web-link the server answers with status 403",
        "README.md:7 unanswered-web-link the server answers with status 500",
        "README.md:8 unanswered-web-link the server answers with status 503",
        "README.md:10 moved-web-link the page has moved",
        "README.md:12 broken-web-link it is redirected in a circle",
    ]
    assert {one.code.value: one.severity.value for one in findings} == {
        "broken-web-link": "error",
        "unanswered-web-link": "warning",
        "moved-web-link": "notice",
    }
    assert findings[5].suggestion == server.url("/good#part")
    assert "#" not in "".join(server.asked)


def test_nothing_is_asked_without_being_told_to(server: Web, tmp_path: Path) -> None:
    write_tree(tmp_path, {"README.md": f"[a]({server.url('/gone')})\n"})
    with pinakes.open(tmp_path, LET_IN) as library:
        library.sync()
        assert library.check() == ()
    assert server.asked == []


def test_an_address_is_asked_once_and_found_wherever_it_stands(server: Web, tmp_path: Path) -> None:
    gone = server.url("/gone")
    write_tree(tmp_path, {"README.md": f"[a]({gone}) [b](b.md)\n\n[c]({gone}#part)\n", "b.md": f"# B\n\n<{gone}>\n"})
    assert [(one.ref.path, one.line) for one in found(tmp_path)] == [("README.md", 1), ("README.md", 3), ("b.md", 3)]
    assert server.asked == ["/gone"]
    assert server.heads[0]["User-Agent"].startswith("pinakes/")


def test_only_the_part_that_is_checked_is_asked(server: Web, tmp_path: Path) -> None:
    write_tree(
        tmp_path, {"README.md": f"[a]({server.url('/a')}) [b](b/c.md)\n", "b/c.md": f"[b]({server.url('/b')})\n"}
    )
    assert [one.ref.path for one in found(tmp_path, under="b")] == ["b/c.md"]
    assert server.asked == ["/b"]


def test_a_good_answer_is_believed_for_some_days_and_a_bad_one_never(server: Web, tmp_path: Path) -> None:
    server.page("/good", "here")
    write_tree(tmp_path, {"README.md": f"[a]({server.url('/good')}) [b]({server.url('/gone')})\n"})
    assert len(found(tmp_path)) == 1
    server.page("/gone", "back again")
    assert found(tmp_path) == []
    assert sorted(server.asked) == ["/gone", "/gone", "/good"]
    del server.answers["/good"]
    assert found(tmp_path) == []
    assert len(found(tmp_path, check=WebCheck(max_age_days=0))) == 1
    assert len(found(tmp_path)) == 1, "the bad answer takes the place of the good one"
    cache = json.loads((tmp_path / "home/.cache/pinakes/web/answers.json").read_text())
    assert {address.rpartition("/")[2]: kept[1] for address, kept in cache["answers"].items()} == {
        "good": 404,
        "gone": 200,
    }


@pytest.mark.parametrize("bytes_there", [b"", b"{", b'{"version": 2, "answers": {}}', b'{"version": 1, "answers": []}'])
def test_a_cache_that_cannot_be_read_is_begun_anew(server: Web, tmp_path: Path, bytes_there: bytes) -> None:
    write_tree(tmp_path, {"home/.cache/pinakes/web/answers.json": bytes_there})
    server.page("/good", "here")
    root = write_tree(tmp_path / "root", {"README.md": f"[a]({server.url('/good')})\n"})
    assert found(root) == found(root) == []
    assert server.asked == ["/good"]


def test_what_is_left_out_is_not_asked(server: Web, tmp_path: Path) -> None:
    addresses = [server.url(path) for path in ("/private/a", "/api/v1/x", "/api/v2/x", "/gone")]
    write_tree(tmp_path, {"README.md": " ".join(f"[a]({one})" for one in addresses) + "\n"})
    write_tree(tmp_path, {"pinakes.toml": f'[check]\nexclude = ["{server.url("/private")}"]\n'})
    assert len(found(tmp_path, check=WebCheck(exclude=("*/api/*/x",)))) == 1
    assert server.asked == ["/gone"]


@pytest.mark.parametrize(
    "address",
    [
        "https://example.com/a",
        "http://docs.example/a",
        "http://localhost:8000/",
        "http://api.localhost/",
        "https://pinakes.test/",
        "https://{host}/a",
        "https://docs.python.org/<version>/",
        "mailto:a@b.c",
        "ftp://files.invalid/",
    ],
)
def test_examples_and_patterns_are_no_addresses(address: str, tmp_path: Path) -> None:
    write_tree(tmp_path, {"README.md": f"[a]({address})\n"})
    assert found(tmp_path) == []


def test_other_statuses_can_count_as_good(server: Web, tmp_path: Path) -> None:
    write_tree(tmp_path, {"README.md": f"[a]({status(server, '/a', 403)}) [b]({status(server, '/b', 204)})\n"})
    assert said(found(tmp_path)) == ["README.md:1 unanswered-web-link the server answers with status 403"]
    assert found(tmp_path, check=WebCheck(accept=("200-204", "403"))) == []
    only = said(found(tmp_path, {"check.accept": ["200"]}, WebCheck(max_age_days=0)))
    assert only[1] == "README.md:1 unanswered-web-link the server answers with status 403"
    assert only[0] == "README.md:1 broken-web-link the server answers with status 204"


@pytest.mark.parametrize("written", ["", "20", "299-200", "2xx", "1000", "200-"])
def test_a_status_that_is_none_is_refused(written: str) -> None:
    with pytest.raises(ConfigError, match="no status of HTTP"):
        accepted_codes((written,))


def test_a_private_address_is_not_asked(server: Web, tmp_path: Path) -> None:
    write_tree(tmp_path, {"README.md": f"[a]({server.url('/a')}) [b](http://169.254.169.254/meta)\n"})
    assert said(found(tmp_path, {"added.allow": []})) == [
        "README.md:1 unasked-web-link 127.0.0.1 is no public address",
        "README.md:1 unasked-web-link 169.254.169.254 is no public address",
    ]
    assert server.asked == []


def test_a_redirect_into_a_private_network_is_not_followed(server: Web, tmp_path: Path) -> None:
    with web("127.0.0.3") as inside:
        inside.page("/secret", "words")
        server.redirect("/out", inside.url("/secret"))
        write_tree(tmp_path, {"README.md": f"[a]({server.url('/out')})\n"})
        assert said(found(tmp_path)) == [
            f"README.md:1 broken-web-link it is redirected to {inside.url('/secret')}, which is no public address"
        ]
        assert inside.asked == []


def test_trouble_that_may_pass_is_tried_again(server: Web, tmp_path: Path) -> None:
    def answer(handler: BaseHTTPRequestHandler) -> None:
        is_first = server.asked.count(handler.path) == 1
        send(handler, b"words", "text/plain", {"Retry-After": "0.01"} if is_first else {}, 503 if is_first else 200)

    server.answers |= {"/busy": answer}
    write_tree(tmp_path, {"README.md": f"[a]({server.url('/busy')}) [b]({server.url('/gone')})\n"})
    assert said(found(tmp_path, {"check.retries": 1})) == [
        "README.md:1 broken-web-link the server answers with status 404"
    ]
    assert sorted(server.asked) == ["/busy", "/busy", "/gone"], "what is gone is gone"


def test_a_server_that_asks_to_wait_long_is_left_alone(server: Web, tmp_path: Path) -> None:
    status(server, "/1", 429, Retry_After="3600")
    write_tree(tmp_path, {"README.md": " ".join(f"[a]({server.url(f'/{number}')})" for number in (1, 2, 3)) + "\n"})
    assert said(found(tmp_path, {"check.retries": 5})) == [
        "README.md:1 unanswered-web-link the server answers with status 429",
        "README.md:1 unanswered-web-link the server asks to wait 3600 s",
        "README.md:1 unanswered-web-link the server asks to wait 3600 s",
    ]
    assert server.asked == ["/1"]


def test_a_server_that_says_nothing_is_not_waited_for_longer_than_set(server: Web, tmp_path: Path) -> None:
    server.page("/good", "here")
    with web("127.0.0.2") as silent:
        silent.answers = {f"/{number}": lambda _: silent.ending.wait() for number in range(4)}
        links = " ".join(f"[a]({silent.url(f'/{number}')})" for number in range(4))
        write_tree(tmp_path, {"README.md": f"{links} [b]({server.url('/good')})\n"})
        assert (
            said(found(tmp_path, {"check.timeout_s": 0.3}))
            == ["README.md:1 unanswered-web-link no answer within 0.3 s"] * 4
        )
        assert silent.asked == ["/0", "/1"], "after two the others are not tried"


def test_without_a_network_one_warning_says_so(tmp_path: Path, server: Web) -> None:
    free = server.port
    server.answers.clear()
    with web("127.0.0.2") as other:
        nobody = f"http://127.0.0.2:{other.port}"
    write_tree(tmp_path, {"README.md": f"[a]({nobody}/a) [b]({nobody}/b) [c]({nobody}/c)\n"})
    (only,) = found(tmp_path)
    assert free and (only.code.value, only.severity.value) == ("unanswered-web-link", "warning")
    assert only.message == "no server on the web answers from here, so 3 addresses were not checked"


def nobody_knows(host: str, port: int) -> Sequence[str]:
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


def nobody_answers(host: str, port: int) -> Sequence[str]:
    raise socket.gaierror(socket.EAI_AGAIN, "Temporary failure in name resolution")


def test_a_name_without_an_address_is_a_dead_link_once_somebody_else_answers() -> None:
    good, dead = (WebLink(Ref(DOCS, "a.md"), 1, f"http://{name}.internal/") for name in ("good", "dead"))
    answer = probe(dead.address, AllowedHosts(), 5.0, nobody_knows)
    assert (answer.state, answer.trouble) == (WebState.NO_HOST, "dead.internal has no address")
    known = {dead.address: answer, good.address: WebAnswer(WebState.ANSWERED, 200)}
    (broken,) = web_findings([good, dead], known, accepted_codes(("200",)))
    assert (broken.code, broken.message) == (
        Code.BROKEN_WEB_LINK,
        "“http://dead.internal/”: dead.internal has no address",
    )
    (alone,) = web_findings([dead], known | {good.address: answer}, accepted_codes(("200",)))
    assert alone.code is Code.UNANSWERED_WEB_LINK
    silent = probe(dead.address, AllowedHosts(), 5.0, nobody_answers)
    assert (silent.state, silent.trouble) == (WebState.SILENT, "dead.internal cannot be looked up")


def test_a_certificate_that_is_not_valid_is_a_dead_link(tmp_path: Path) -> None:
    with web(tls=self_signed(tmp_path, "IP:127.0.0.1")) as server:
        server.page("/", "here")
        root = write_tree(tmp_path / "root", {"README.md": f"[a](https://127.0.0.1:{server.port}/)\n"})
        (only,) = found(root)
        assert only.code is Code.BROKEN_WEB_LINK
        assert "the certificate of 127.0.0.1 is not valid" in only.message
        assert server.asked == []


def test_one_host_gets_one_request_at_a_time_and_hosts_are_asked_side_by_side(tmp_path: Path, server: Web) -> None:
    with web("127.0.0.2") as other:
        busy, most, meeting = [0], [0], threading.Barrier(2, timeout=20)

        def answer(handler: BaseHTTPRequestHandler) -> None:
            busy[0] += 1
            most[0] = max(most[0], busy[0])
            if handler.path == "/0":
                meeting.wait()  # both hosts are here at once, or nobody comes further
            busy[0] -= 1
            send(handler, b"words", "text/plain", {})

        for one in (server, other):
            one.answers = {f"/{number}": answer for number in range(4)}
        links = [f"[a]({one.url(f'/{number}')})" for one in (server, other) for number in range(4)]
        write_tree(tmp_path, {"README.md": " ".join(links) + "\n"})
        assert found(tmp_path) == []
        assert most[0] == 2
        assert server.asked == other.asked == ["/0", "/1", "/2", "/3"]


def test_progress_counts_addresses(tmp_path: Path, server: Web) -> None:
    server.page("/good", "here")
    write_tree(tmp_path, {"README.md": f"[a]({server.url('/good')}) [b]({server.url('/gone')})\n"})
    events: list[Event] = []
    with pinakes.open(tmp_path, LET_IN) as library:
        library.sync()
        library.check(external=WebCheck(), progress=events.append)
    assert [(one.done, one.total) for one in events if one.phase is Phase.WEB_LINKS] == [(0, 2), (1, 2), (2, 2)]


def test_odd_addresses_are_findings_and_stop_nothing(tmp_path: Path, server: Web) -> None:
    odd = ["http://[::1", "http://a:99999999/", "http://0x7f.1/", "http://user:word@host.internal/", "https://"]
    text = "".join(f"[a](<{one}>)\n\n" for one in [*odd, server.url("/gone")])
    write_tree(tmp_path, {"README.md": text.encode() + b"[b](http://h.internal/\xff\xfe)\n"})
    findings = found(tmp_path)
    assert [one.line for one in findings if one.code.value == "broken-web-link"][-1] >= 11
    assert not [one for one in findings if one.code.value == "moved-web-link"]


def command(root: Path, *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    env = {**os.environ, "PINAKES_ADDED_ALLOW": "127.0.0.1", "PINAKES_CHECK_HOST_DELAY_S": "0", **variables}
    return subprocess.run(
        [sys.executable, "-m", "pinakes", "check", "--root", str(root), *words],
        env=env,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def test_the_command_fails_for_a_dead_link_and_not_for_a_moved_one(tmp_path: Path, server: Web) -> None:
    server.page("/good", "here")
    server.redirect("/moved", "/good", 308)
    root = write_tree(tmp_path / "root", {"README.md": f"# A\n\n[a]({server.url('/moved')})\n"})
    done = command(root, "--external", "--strict")
    assert (done.returncode, done.stdout) == (
        0,
        f"README.md:3: moved-web-link “{server.url('/moved')}”: the page has moved"
        f" (did you mean {server.url('/good')}?)\n"
        "0 errors, 0 warnings, 1 notice\n",
    )
    write_tree(root, {"README.md": f"# A\n\n[a]({server.url('/gone')})\n"})
    assert command(root, "--external").returncode == 1
    assert command(root, "--external", "--accept", "404").returncode == 0
    results = json.loads(command(root, "--external", "--format", "sarif").stdout)["runs"][0]["results"]
    assert [one["ruleId"] for one in results] == ["broken-web-link"]


def test_options_without_external_and_fetching_that_is_off_are_said(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "root", {"README.md": "# A\n"})
    without = command(root, "--max-age", "0")
    assert (without.returncode, "Add --external." in without.stderr) == (2, True)
    off = command(root, "--external", PINAKES_ADDED_FETCH="false")
    assert (off.returncode, "added.fetch is off" in off.stderr) == (2, True)
    wrong = command(root, "--external", "--accept", "2xx")
    assert (wrong.returncode, "“2xx” is no status of HTTP." in wrong.stderr) == (2, True)
