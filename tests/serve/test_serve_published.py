"""A published folder handed out: ranges, tags, sites of others, and nobody gets anything that was not published."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi")

from kits.http import Server, serving
from kits.page import HOSTILE, LIBRARY
from kits.publish import files, publish
from kits.trees import write_tree
from pinakes.publish import PublishOptions
from pinakes.publish.folder import MARKER

SECRET = b"nobody may read this"


@pytest.fixture(scope="module")
def out(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("handed-out")
    root = write_tree(home / "docs", {**LIBRARY, **HOSTILE, "page.html": "<script>alert(1)</script>", "empty.md": ""})
    publish(root, home / "out")
    (home / "secret.txt").write_bytes(SECRET)
    (home / "out" / "secret.txt").write_bytes(SECRET)
    (home / "out" / ".env").write_bytes(SECRET)
    return home / "out"


@pytest.fixture(scope="module")
def server(out: Path) -> Iterator[Server]:
    with serving(options=("--published", str(out))) as server:
        yield server


def listed(out: Path) -> list[str]:
    parts = json.loads((out / MARKER).read_bytes())["parts"].values()
    return [name for part in parts for name in part["files"]]


def test_every_published_file_is_handed_out_as_it_is(server: Server, out: Path) -> None:
    from urllib.parse import quote

    held = files(out)
    for name in listed(out):
        answer = server.get(f"/{quote(name)}")
        assert (name, answer.status, answer.body) == (name, 200, held[name])
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["access-control-allow-origin"] == "*"
        assert "set-cookie" not in answer.headers


@pytest.mark.parametrize(
    ("path", "media"),
    [
        ("/index.json", "application/hal+json"),
        ("/guide/index.json", "application/hal+json"),
        ("/schema.json", "application/json"),
        ("/guide/lamp.md", "text/markdown"),
        ("/guide/_chunks/lamp-0.md", "text/markdown"),
        ("/llms.txt", "text/plain"),
        ("/search/index.html", "text/html"),
        ("/search/search.js", "text/javascript"),
        ("/search/search.css", "text/css"),
        ("/guide/lens.svg", "image/svg+xml"),
    ],
)
def test_files_say_what_they_are(server: Server, path: str, media: str) -> None:
    assert server.get(path).media == media


def test_only_the_search_page_and_pages_that_need_it_may_run_our_scripts(server: Server, out: Path) -> None:
    from urllib.parse import quote

    for name in listed(out):
        answer = server.get(f"/{quote(name)}")
        policy = answer.headers["content-security-policy"]
        is_page = name.endswith(".html") and name != "page.html"
        assert (answer.media == "text/html") == is_page
        assert ("sandbox" in policy) == (not is_page)
        is_acting = is_page and (out / name).read_text().count("<script ") > 0
        assert ("script-src" in policy) == is_acting
        assert "script-src 'self'" in policy or not is_acting
        assert "unsafe" not in policy.replace("style-src 'unsafe-inline'", "")


def test_folders_lead_to_their_index(server: Server) -> None:
    assert server.get("/guide/").body == server.get("/guide/index.html").body
    assert server.get("/search/").body == server.get("/search/index.html").body
    assert (server.get("/guide").status, server.get("/guide").headers["location"]) == (308, "/guide/")
    assert server.get("/").body == server.get("/index.html").body
    assert server.get("/guide/_chunks/").status == 404


def test_without_pages_folders_lead_to_their_index_and_the_top_to_the_search(tmp_path: Path) -> None:
    publish(write_tree(tmp_path / "docs", LIBRARY), tmp_path / "out", PublishOptions(has_pages=False))
    with serving(options=("--published", str(tmp_path / "out"))) as server:
        assert (server.get("/").status, server.get("/").headers["location"]) == (302, "search/index.html")
        assert server.get("/guide/").media == "application/hal+json"


def test_what_is_not_there_is_a_page_for_people_and_a_problem_for_programs(server: Server, out: Path) -> None:
    people = server.ask("GET", "/nowhere/at/all", headers={"Accept": "text/html,*/*"})
    assert (people.status, people.body) == (404, (out / "404.html").read_bytes())
    assert server.get("/nowhere").media == "application/problem+json"


def test_texts_are_compressed_on_the_way_and_parts_of_them_are_not(server: Server, out: Path) -> None:
    whole = (out / "search/search.js").read_bytes()
    small = server.ask("GET", "/search/search.js", headers={"Accept-Encoding": "gzip"})
    assert (small.headers["content-encoding"], small.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert len(small.body) < len(whole) / 2
    assert gzip.decompress(small.body) == whole
    again = {"Accept-Encoding": "gzip", "If-None-Match": small.headers["etag"]}
    assert server.ask("GET", "/search/search.js", headers=again).status == 304
    part = server.ask("GET", "/search/search.js", headers={"Accept-Encoding": "gzip", "Range": "bytes=0-9"})
    assert (part.status, part.body) == (206, whole[:10])
    head = server.ask("HEAD", "/search/search.js", headers={"Accept-Encoding": "gzip"})
    assert (head.body, head.headers["content-length"]) == (b"", str(len(small.body)))


def test_files_that_were_compressed_beforehand_are_sent_as_they_are(tmp_path: Path) -> None:
    root, out = write_tree(tmp_path / "docs", LIBRARY), tmp_path / "out"
    publish(root, out, PublishOptions(is_compressed=True))
    assert gzip.decompress((out / "search/search.js.gz").read_bytes()) == (out / "search/search.js").read_bytes()
    assert publish(root, out, PublishOptions(is_compressed=True)).written == ()
    with serving(options=("--published", str(out))) as server:
        answer = server.ask("GET", "/search/search.js", headers={"Accept-Encoding": "gzip"})
        assert (answer.headers["content-encoding"], answer.media) == ("gzip", "text/javascript")
        assert answer.body == (out / "search/search.js.gz").read_bytes()
        assert server.get("/search/search.js").body == (out / "search/search.js").read_bytes()
    publish(root, out)
    assert not list(out.rglob("*.gz"))


def test_twins_in_brotli_are_sent_to_who_takes_it(tmp_path: Path) -> None:
    brotli = pytest.importorskip("brotli", reason="Brotli is not installed: pip install brotli")
    out = tmp_path / "out"
    publish(write_tree(tmp_path / "docs", LIBRARY), out, PublishOptions(is_compressed=True))
    with serving(options=("--published", str(out))) as server:
        answer = server.ask("GET", "/search/search.js", headers={"Accept-Encoding": "gzip, br"})
        assert (answer.headers["content-encoding"], answer.body) == ("br", (out / "search/search.js.br").read_bytes())
        assert brotli.decompress(answer.body) == (out / "search/search.js").read_bytes()
        (out / "search/search.js.br").unlink()
        made = server.ask("GET", "/search/search.js", headers={"Accept-Encoding": "br"})
        assert brotli.decompress(made.body) == (out / "search/search.js").read_bytes()


def test_a_file_that_did_not_change_is_not_sent_again(server: Server) -> None:
    first = server.get("/guide/lamp.md")
    etag, modified = first.headers["etag"], first.headers["last-modified"]
    for asked in ({"If-None-Match": etag}, {"If-None-Match": f'"x", W/{etag}'}, {"If-None-Match": "*"},
                  {"If-Modified-Since": modified}):  # fmt: skip
        again = server.ask("GET", "/guide/lamp.md", headers=asked)
        assert (again.status, again.body, again.headers["etag"]) == (304, b"", etag)
    for stale in ({"If-None-Match": '"x"'}, {"If-Modified-Since": "Thu, 01 Jan 1970 00:00:00 GMT"},
                  {"If-Modified-Since": "soon"}, {"If-None-Match": '"x"', "If-Modified-Since": modified}):  # fmt: skip
        assert server.ask("GET", "/guide/lamp.md", headers=stale).status == 200


def test_head_says_the_same_without_the_body(server: Server) -> None:
    whole, head = server.get("/guide/lamp.md"), server.ask("HEAD", "/guide/lamp.md")
    assert (head.status, head.body) == (200, b"")
    assert {name: value for name, value in head.headers.items() if name != "date"} == {
        name: value for name, value in whole.headers.items() if name != "date"
    }


def test_parts_are_sent_when_asked_for(server: Server) -> None:
    whole = server.get("/guide/lamp.md").body
    size = len(whole)
    for asked, start, end in (
        ("bytes=0-9", 0, 10), ("bytes=5-", 5, size), ("bytes=-7", size - 7, size),
        (f"bytes=3-{size * 9}", 3, size), (f"bytes=-{size * 9}", 0, size), ("BYTES = 1 - 2", 1, 3),
    ):  # fmt: skip
        answer = server.ask("GET", "/guide/lamp.md", headers={"Range": asked})
        assert answer.body == whole[start:end]
        assert answer.headers["content-length"] == str(end - start)
        if (start, end) != (0, size):
            assert (answer.status, answer.headers["content-range"]) == (206, f"bytes {start}-{end - 1}/{size}")


def test_parts_that_are_none_are_refused_or_answered_with_the_whole(server: Server) -> None:
    whole = server.get("/guide/lamp.md")
    size = len(whole.body)
    for asked in (f"bytes={size}-", "bytes=-0", f"bytes={10**30}-"):
        answer = server.ask("GET", "/guide/lamp.md", headers={"Range": asked})
        assert (answer.status, answer.headers["content-range"]) == (416, f"bytes */{size}")
    long = f"bytes={'9' * 9000}-"
    for asked in ("bytes=5-2", "bytes=a-b", "bytes", "lines=1-2", "bytes=0-1,3-4", "bytes=--5", "bytes=²-3", long):
        answer = server.ask("GET", "/guide/lamp.md", headers={"Range": asked.encode().decode("latin-1")})
        assert (answer.status, answer.body) == (200, whole.body)
    fresh = server.ask("GET", "/guide/lamp.md", headers={"Range": "bytes=0-3", "If-Range": whole.headers["etag"]})
    stale = server.ask("GET", "/guide/lamp.md", headers={"Range": "bytes=0-3", "If-Range": '"old"'})
    assert (fresh.status, stale.status) == (206, 200)
    assert server.ask("GET", "/empty.md", headers={"Range": "bytes=0-3"}).status in (404, 416)


def test_pages_of_other_sites_may_read_but_nobody_may_write(server: Server) -> None:
    cross = {"Origin": "https://elsewhere.example", "Sec-Fetch-Site": "cross-site"}
    assert server.ask("GET", "/index.json", headers=cross).status == 200
    asked = {**cross, "Access-Control-Request-Method": "GET", "Access-Control-Request-Headers": "range"}
    before = server.ask("OPTIONS", "/index.json", headers=asked)
    assert (before.status, before.headers["access-control-allow-origin"]) == (204, "*")
    assert "access-control-allow-credentials" not in before.headers
    for method in ("POST", "PUT", "DELETE", "PATCH", "PROPFIND"):
        answer = server.ask(method, "/index.json")
        assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD, OPTIONS")


def test_requests_for_other_hosts_are_not_answered(server: Server) -> None:
    for host in ("evil.example", f"evil.example:{server.port}", "", "127.0.0.1:1"):
        assert server.ask("GET", "/index.json", headers={"Host": host}).status in (400, 421)


@pytest.mark.parametrize(
    "path",
    [
        "/../secret.txt",
        "/..%2fsecret.txt",
        "/%2e%2e/secret.txt",
        "/%2e%2e%2fsecret.txt",
        "/%252e%252e%252fsecret.txt",
        "/guide/../../secret.txt",
        "/guide/..%5c..%5csecret.txt",
        "/..%c0%afsecret.txt",
        "/%ef%bc%8e%ef%bc%8e/secret.txt",
        "//secret.txt",
        "///etc/passwd",
        "/etc/passwd",
        "/%2fetc%2fpasswd",
        "/./secret.txt",
        "/secret.txt",
        "/secret.txt%00.md",
        "/guide/lamp.md%00",
        "/guide/lamp.md/",
        "/guide/lamp.md/..",
        "/.env",
        "/.pinakes-published",
        "/.pinakes-writing",
        "/.git/config",
        "/GUIDE/lamp.md",
        "/guide/lamp.md::$DATA",
        "/guide\\lamp.md",
        "/con",
        "/%ff%fe",
        "/" + "a/" * 5000,
        "/" + "%2e%2e%2f" * 2000 + "etc/passwd",
    ],
)
def test_nothing_but_what_was_published_is_handed_out(server: Server, path: str) -> None:
    request = f"GET {path} HTTP/1.1\r\nHost: {server.authority}\r\nConnection: close\r\n\r\n"
    answer = server.raw(request.encode())
    assert answer.split(b" ", 2)[1] in (b"404", b"400", b"414")
    assert SECRET not in answer
    assert b"root:" not in answer


def test_a_path_that_is_longer_than_any_name_is_refused(server: Server) -> None:
    assert b" 400 " in server.raw(b"GET /" + b"a" * 200_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n").partition(b"\r\n")[0]
    assert server.get("/index.json").status == 200


def test_what_is_swapped_in_for_a_published_file_is_not_handed_out(tmp_path: Path) -> None:
    out = tmp_path / "out"
    publish(write_tree(tmp_path / "docs", LIBRARY), out)
    write_tree(tmp_path / "elsewhere", {"fog.md": SECRET.decode(), "lamp.md": SECRET.decode()})
    with serving(options=("--published", str(out))) as server:
        assert server.get("/guide/fog.md").status == 200
        (out / "guide" / "fog.md").unlink()
        (out / "guide" / "fog.md").symlink_to(tmp_path / "elsewhere" / "fog.md")
        assert server.get("/guide/fog.md").status == 404
        (out / "guide" / "fog.md").unlink()
        os.mkfifo(out / "guide" / "fog.md")
        assert server.get("/guide/fog.md").status == 404
        (out / "guide" / "fog.md").unlink()
        (out / "guide" / "fog.md").mkdir()
        assert server.get("/guide/fog.md").status == 404
        (out / "notes.txt").unlink()
        (out / "notes.txt").symlink_to("/dev/zero")
        assert server.get("/notes.txt").status == 404
        os.rename(out / "guide", out / "away")
        (out / "guide").symlink_to(tmp_path / "elsewhere")
        assert server.get("/guide/lamp.md").status == 404
        assert server.get("/index.json").status == 200


def test_a_manifest_that_names_files_elsewhere_hands_none_of_them_out(tmp_path: Path) -> None:
    out = tmp_path / "out"
    publish(write_tree(tmp_path / "docs", LIBRARY), out)
    (tmp_path / "secret.txt").write_bytes(SECRET)
    held = json.loads((out / MARKER).read_bytes())
    held["parts"]["x"] = {"inputs": "", "facts": {}, "files": {"../secret.txt": "", "/etc/passwd": "", "a/../b": ""}}
    (out / MARKER).write_text(json.dumps(held))
    with serving(options=("--published", str(out))) as server:
        for path in ("/../secret.txt", "/%2e%2e/secret.txt", "//etc/passwd", "/a/../b"):
            assert server.get(path).status == 404


def test_what_is_published_while_it_is_served_is_handed_out(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "docs", LIBRARY)
    publish(root, tmp_path / "out")
    with serving(options=("--published", str(tmp_path / "out"))) as server:
        before = server.get("/notes.txt").headers["etag"]
        assert server.get("/new.md").status == 404
        write_tree(root, {"new.md": "# New\n", "notes.txt": "Other notes.\n"})
        publish(root, tmp_path / "out")
        assert server.get("/new.md").body == b"# New\n"
        assert server.ask("GET", "/notes.txt", headers={"If-None-Match": before}).body == b"Other notes.\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--published", "{home}"], "Nothing was published in"),
        (["--published", "{home}/none"], "Nothing was published in"),
        (["{home}", "--published", "{home}"], "--published serves one folder and no library"),
        (["--published", "{out}", "--token", "x" * 20], "A published folder is for everybody"),
    ],
)
def test_what_makes_no_sense_is_refused(out: Path, tmp_path: Path, arguments: list[str], told: str) -> None:
    command = [one.format(home=tmp_path, out=out) for one in arguments]
    done = subprocess.run(
        [sys.executable, "-m", "pinakes", "serve", "--port", "0", *command], capture_output=True, text=True, timeout=60
    )
    assert done.returncode == 2
    assert told in done.stderr
