"""What the HTTP door answers, asked of a real server process."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from kits.http import PAGES, Answer, Server, events, serving
from kits.trees import write_tree


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("served")
    one = write_tree(folder / "harbour", PAGES)
    other = write_tree(folder / "garden", {"roses.md": "# Roses\n\nPrune roses in March.\n"})
    with serving(one, other) as running:
        yield running
    assert len(running.said) == 1, running.said


def found(answer: Answer) -> list[str]:
    assert answer.status == 200, answer.body
    return [hit["ref"] for hit in answer.json["hits"]]


def test_health_is_one_word(server: Server) -> None:
    answer = server.get("/health")
    assert (answer.status, answer.body) == (200, b'{"status":"ok"}')


def test_a_question_in_the_address_and_one_in_the_body_get_the_same_hits(server: Server) -> None:
    asked = server.get("/search", query="tide tables", limit=1)
    assert found(asked) == found(server.post("/search", {"query": "tide tables", "limit": 1}))
    assert found(asked) == ["docs:guide/tides.md#tables"]


def test_what_a_client_has_seen_is_a_whole_number(server: Server) -> None:
    asked = server.ask("GET", "/search?query=tide+tables&limit=1", headers={"Pinakes-Seen": "1"})
    assert found(asked) == ["docs:guide/tides.md#tables"]
    for odd in ("one", "-1", "1" * 16, "²"):
        for path in ("/search?query=tide", "/map", "/read?address=guide/tides.md"):
            refused = server.ask("GET", path, headers={"Pinakes-Seen": odd})
            assert (refused.status, refused.json["next_step"]) == (422, "/status and /events tell it.")


def test_the_old_name_of_search_still_answers(server: Server) -> None:
    assert found(server.post("/query_documents", {"query": "forty tonnes"}))[0] == "docs:guide/cranes.md#cranes"
    assert len(found(server.post("/query_documents", {"query": "tide tables", "top_n": 1}))) == 1


@pytest.mark.parametrize("path", ["/search/stream", "/query_documents_stream"])
@pytest.mark.parametrize("profile", ["fast", "balanced", "thorough"])
def test_a_stream_tells_words_first_then_fused_then_final_by_the_same_addresses(
    server: Server, path: str, profile: str
) -> None:
    answer = server.post(path, {"query": "tide tables", "profile": profile})
    assert answer.media == "text/event-stream"
    told = events(answer.body)
    assert [name for name, _ in told] == ["words", "fused", "final"]
    assert [results["hits"][0]["ref"] for _, results in told] == ["docs:guide/tides.md#tables"] * 3
    final = server.post("/search", {"query": "tide tables", "profile": profile}).json
    assert [hit["ref"] for hit in told[-1][1]["hits"]] == [hit["ref"] for hit in final["hits"]]
    assert told[-1][1]["query"]["profile"] == profile


def test_a_stream_of_a_question_that_is_refused_is_a_refusal_and_no_stream(server: Server) -> None:
    answer = server.post("/search/stream", {"query": "tides", "linked_to": "nowhere.md"})
    assert (answer.status, answer.media) == (404, "application/problem+json")


def test_filters_narrow_the_answer(server: Server) -> None:
    assert found(server.get("/search", query="harbour", path=["guide"], anyway=True))
    narrow = server.post("/search", {"query": "water harbour", "tag": ["sea"], "lang": ["python"], "anyway": True})
    assert all(ref.startswith("docs:guide/tides.md") for ref in found(narrow))
    linked = server.get("/search", query="harbour", linked_to="README.md", anyway=True)
    assert found(linked) == ["docs:guide/cranes.md#cranes"]


def test_a_map_comes_as_data_as_text_and_as_a_drawing(server: Server) -> None:
    blocks = server.get("/map").json["blocks"]
    assert sorted(block["path"] for block in blocks) == sorted(PAGES)
    assert {block["component"] for block in blocks} == {0}
    assert server.get("/map", format="").json["blocks"] == blocks
    text = server.get("/map", format="text", budget=4000)
    assert (text.media, "# Tides" in text.body.decode()) == ("text/plain", True)
    drawn = server.get("/map", format="svg")
    assert (drawn.media, drawn.body[:4]) == ("image/svg+xml", b"<svg")
    assert "sandbox" in drawn.headers["content-security-policy"]


def test_a_section_is_read_verbatim_and_links_lead_both_ways(server: Server) -> None:
    passage = server.get("/read", address="guide/tides.md#tables").json
    assert passage["text"].startswith("## Tables\n\nTide tables")
    links = server.get("/links", address="README.md").json
    assert [link["to"] for link in links["outgoing"]] == ["docs:guide/tides.md", "docs:guide/cranes.md"]
    assert [link["from"] for link in links["incoming"]] == ["docs:guide/cranes.md#cranes"]


def test_a_broken_link_is_found_by_check(server: Server) -> None:
    assert [(one["code"], one["path"]) for one in server.get("/check").json] == [("broken-link", "guide/tides.md")]


def test_a_context_has_the_map_and_the_selected_files(server: Server) -> None:
    whole = server.get("/context", select=["guide/tides.md"], budget=500, question="When is the ebb?").json
    keys = {block["key"]: block["tier"] for block in whole["blocks"]}
    assert keys["file:guide/tides.md"] == "active"
    assert "map:guide/tides.md" not in keys
    assert whole["mode"] == "docs"
    assert whole["prompt"]["parts"][0]["name"] == "system"
    assert "guide/tides.md in full:" in whole["prompt"]["parts"][-1]["text"]
    assert whole["prompt"]["question"].startswith("When is the ebb?")
    brief = server.get("/context", select=["guide/tides.md"], budget=500, explain=True).json
    assert (brief["blocks"], brief["tokens"], brief["prompt"]["parts"]) == (whole["blocks"], whole["tokens"], [])
    assert server.get("/context", select=["../secret.md"]).status == 404
    assert server.get("/context", select=[".git/config"]).status == 404


def test_status_tells_what_is_indexed_and_how_the_server_stands(server: Server) -> None:
    server.get("/search", query="tides")
    status = server.get("/status").json
    assert (status["counts"]["documents"], status["library"], status["libraries"]) == (
        3,
        "harbour",
        ["harbour", "garden"],
    )
    assert status["queue"]["links"] == 0
    assert status["passages"] >= 4
    assert status["failures"] == []
    assert status["generation"] > 0
    assert status["memory_bytes"] > 1_000_000
    assert status["embedder"]


def test_files_are_listed_with_their_states(server: Server) -> None:
    listed = {file["path"]: file["state"] for file in server.get("/files").json}
    assert listed == {**dict.fromkeys(PAGES, "indexed"), ".pinakes/": "left_out"}
    assert [file["state"] for file in server.get("/files", path=["nope.md"]).json] == ["left_out"]


def test_another_library_is_asked_by_its_name(server: Server) -> None:
    assert found(server.get("/search", query="roses", library="garden")) == ["docs:roses.md#roses"]
    assert found(server.post("/search?library=garden", {"query": "roses"})) == ["docs:roses.md#roses"]
    assert found(server.post("/search", {"query": "roses", "library": "garden"})) == ["docs:roses.md#roses"]
    assert server.get("/status", library="garden").json["counts"]["documents"] == 1
    refusal = server.get("/search", query="roses", library="attic")
    assert (refusal.status, refusal.json["next_step"]) == (404, "There are harbour, garden.")


def test_metrics_are_what_prometheus_reads(server: Server) -> None:
    server.get("/health")
    answer = server.get("/metrics")
    lines = answer.body.decode().splitlines()
    assert answer.headers["content-type"].startswith("text/plain; version=0.0.4")
    assert any(line.startswith('pinakes_requests_total{route="/health",method="GET",status="200"} ') for line in lines)
    assert [line for line in lines if not line.startswith("#") and len(line.rsplit(" ", 1)) != 2] == []
    assert sum(line.startswith("# TYPE pinakes_generation ") for line in lines) == 1
    assert sum(line.startswith("pinakes_generation{") for line in lines) == 2


def test_headers_alone_can_be_asked_for(server: Server) -> None:
    answer = server.ask("HEAD", "/health")
    assert (answer.status, answer.body, answer.headers["content-length"]) == (200, b"", "15")


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/read?address=nope.md", 404),
        ("/read", 422),
        ("/read?address=", 422),
        ("/search?query=x&limt=3", 422),
        ("/search?query=x&after=soon", 422),
        ("/links?address=%23", 422),
        ("/links?address=docs:%23x", 400),
        ("/map?under=nowhere", 404),
        ("/map?format=pdf", 422),
        ("/nothing/here", 404),
    ],
)
def test_every_error_is_a_problem_with_a_sentence(server: Server, path: str, status: int) -> None:
    answer = server.get(path)
    assert (answer.status, answer.media) == (status, "application/problem+json")
    assert (answer.json["status"], answer.json["detail"][-1]) == (status, ".")
    assert "Traceback" not in answer.body.decode()


def test_an_answer_says_neither_who_serves_nor_may_it_be_framed_or_guessed(server: Server) -> None:
    for answer in (server.get("/health"), server.get("/nothing"), server.get("/openapi.json")):
        assert "server" not in answer.headers
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["x-frame-options"] == "DENY"
        assert "default-src 'none'" in answer.headers["content-security-policy"]


def test_a_changed_file_is_found_without_a_restart_and_told_to_listeners(tmp_path: Path) -> None:
    root = write_tree(tmp_path / "harbour", PAGES)
    with serving(root) as server:
        server.get("/search", query="tides")
        connection = server.connect()
        connection.request("GET", "/events", headers={"Host": server.authority})
        stream = connection.getresponse()
        assert stream.readline() == b"id: 0\n"
        write_tree(root, {"ferries.md": "# Ferries\n\nThe ferry leaves at noon.\n"})
        while stream.readline() != b"event: changed\n":
            pass
        data = json.loads(stream.readline().decode().removeprefix("data: "))
        assert (data["library"], data["paths"]) == ("harbour", ["ferries.md"])
        assert "docs:ferries.md#ferries" in found(server.get("/search", query="ferry noon"))
        connection.close()
