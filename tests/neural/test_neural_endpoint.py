"""Embedders behind an address: what they send, and what becomes of every wrong answer."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from threading import Event

import numpy as np
import pytest

from kits.endpoint import Heard, Reply, honest, serving
from pinakes.errors import ConfigError, ModelFailed
from pinakes.neural import embedder_name, load_embedder
from pinakes.neural.endpoint import EndpointEmbedder, endpoint_key
from pinakes.records import Traits

TRAITS = Traits(0.6, 0.5)
TEXTS = ("rotate access tokens", "", "tide tables of the harbour")


def embeddings(*rows: object) -> Reply:
    return Reply(json.dumps({"data": [{"index": place, "embedding": row} for place, row in enumerate(rows)]}).encode())


def test_vectors_are_the_server_s_in_the_order_of_the_texts() -> None:
    with serving() as server:
        found = load_embedder(server.address).encode(TEXTS)
    assert np.allclose(found, load_embedder("static").encode(TEXTS), atol=1e-3)
    assert {heard.path for heard in server.heard} == {"/v1/embeddings"}
    assert {heard.model for heard in server.heard} == {"words"}
    assert "" not in [text for heard in server.heard for text in heard.texts]


def test_many_texts_go_in_batches_over_few_requests() -> None:
    texts = [f"passage number {number}" for number in range(100)]
    with serving() as server:
        found = load_embedder(server.address).encode(texts)
    assert [len(heard.texts) for heard in server.heard] == [1, 32, 32, 32, 4]
    assert np.allclose(found, load_embedder("static").encode(texts), atol=1e-3)


def test_the_key_comes_from_the_environment_and_goes_to_the_server_only() -> None:
    with serving() as server:
        embedder = EndpointEmbedder(server.address, TRAITS, key=endpoint_key("MY_KEY", {"MY_KEY": "s3cret\n"}))
        embedder.encode(["tide"])
    assert {heard.key for heard in server.heard} == {"Bearer s3cret"}
    assert "s3cret" not in embedder.name
    with pytest.raises(ConfigError, match="MY_KEY holds no key"):
        endpoint_key("MY_KEY", {})


@pytest.mark.parametrize("status", [429, 500, 503])
@pytest.mark.parametrize(("headers", "waits"), [({"Retry-After": "1"}, [1.0, 1.0]), ({}, [0.5, 1.0])])
def test_a_busy_server_is_asked_again_when_it_says_so(status: int, headers: dict[str, str], waits: list[float]) -> None:
    refusals = iter([True, True])
    waited: list[float] = []
    with serving(lambda heard: Reply(b"{}", status, headers) if next(refusals, False) else honest(heard)) as server:
        found = EndpointEmbedder(server.address, TRAITS, wait=waited.append).encode(["one"])
    assert waited == waits
    assert np.allclose(found, load_embedder("static").encode(["one"]), atol=1e-3)


def test_nobody_waits_a_minute_for_the_answer_to_one_question() -> None:
    waited: list[float] = []
    with serving(lambda heard: Reply(b"slow down", 429, {"Retry-After": "60"})) as server:
        embedder = EndpointEmbedder(server.address, TRAITS, wait=waited.append)
        with pytest.raises(ModelFailed, match=r"refused to embed with “words”: 429 slow down\."):
            embedder.encode(["one"])
    assert waited == []


def test_a_server_that_stays_busy_is_given_up() -> None:
    busy = Reply(b"", 503, {"Retry-After": "0"})
    with serving(lambda heard: busy) as server, pytest.raises(ModelFailed, match="503"):
        EndpointEmbedder(server.address, TRAITS, wait=lambda seconds: None).encode(["one"])
    assert len(server.heard) == 4


WRONG: dict[str, tuple[Callable[[Heard], Reply], str]] = {
    "no JSON": (lambda heard: Reply(b"<html>hello</html>"), "no list of embeddings"),
    "other JSON": (lambda heard: Reply(b'{"embedding": [1, 2]}'), "no list of embeddings"),
    "no numbers": (lambda heard: embeddings(["a", "b"]), "no list of embeddings"),
    "a null": (lambda heard: embeddings([1.0, None]), "numbers that are none"),
    "too few": (lambda heard: embeddings(), "0 embeddings for 1 texts"),
    "too many": (lambda heard: embeddings([1.0], [1.0]), "2 embeddings for 1 texts"),
    "ragged": (lambda heard: embeddings([1.0], [1.0, 2.0]), "no list of embeddings"),
    "empty rows": (lambda heard: embeddings([]), "embeddings for 1 texts"),
    "infinite": (lambda heard: embeddings([1.0, float("inf")]), "numbers that are none"),
    "cut short": (lambda heard: Reply(b'{"data": [', promised=1000), "cannot be asked"),
    "a refusal": (
        lambda heard: Reply(b'{"error": {"message": "model \\"words\\" not found"}}', 404),
        'refused to embed with “words”: 404 model "words" not found',
    ),
    "a wrong key": (lambda heard: Reply(b"", 401), "401"),
    "a redirect": (lambda heard: Reply(b"", 302, {"Location": "http://elsewhere.example/"}), "302"),
}


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_answer_is_an_error_that_names_the_server(case: str) -> None:
    answer, complaint = WRONG[case]
    with serving(answer) as server, pytest.raises(ModelFailed) as caught:
        load_embedder(server.address).encode(["tide"])
    assert complaint in str(caught.value)
    assert f"http://127.0.0.1:{server.port}/v1" in str(caught.value)
    assert caught.value.next_step


def test_a_model_that_changes_its_size_midway_is_found_out() -> None:
    sizes = iter([3, 3, 4])

    def answer(heard: Heard) -> Reply:
        size = next(sizes)
        return embeddings(*([1.0] * size for _ in heard.texts))

    with serving(answer) as server:
        embedder = load_embedder(server.address)
        embedder.encode(["one"])
        with pytest.raises(ModelFailed, match="4 numbers for a text and 3 for another"):
            embedder.encode(["two"])


def test_a_server_that_never_answers_is_left_after_its_time() -> None:
    over = Event()

    def answer(heard: Heard) -> Reply:
        over.wait(20)
        return honest(heard)

    with serving(answer) as server:
        with pytest.raises(ModelFailed, match=r"did not answer within 0\.2 seconds"):
            EndpointEmbedder(server.address, TRAITS, timeout_s=0.2).encode(["one"])
        over.set()


def test_a_server_that_is_not_there_is_an_error_at_once() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    with pytest.raises(ModelFailed, match=f"http://127.0.0.1:{port}/v1 cannot be asked"):
        load_embedder(f"http://127.0.0.1:{port}/v1#words").encode(["one"])


def test_a_connection_closed_between_two_questions_is_opened_again() -> None:
    with serving(lambda heard: Reply(honest(heard).body, headers={"Connection": "close"})) as server:
        embedder = load_embedder(server.address)
        first, second = embedder.encode(["tide"]), embedder.encode(["tide"])
    assert first.tobytes() == second.tobytes()


def test_texts_that_are_too_long_for_the_server_are_sent_apart_and_then_cut() -> None:
    def answer(heard: Heard) -> Reply:
        return Reply(b"too long", 413) if sum(map(len, heard.texts)) > 1000 else honest(heard)

    texts = ["tide " * 100, "harbour " * 1000, "tokens"]
    with serving(answer) as server:
        found = load_embedder(server.address).encode(texts)
    cut = [texts[0], texts[1][:1000], texts[2]]
    assert np.allclose(found, load_embedder("static").encode(cut), atol=1e-3)


def test_naming_an_endpoint_asks_nobody_and_every_model_has_a_name_of_its_own() -> None:
    names = {
        embedder_name(address)
        for address in ("http://127.0.0.1:9/v1#a", "http://127.0.0.1:9/v1#b", "https://127.0.0.1:9/v1#a")
    }
    assert len(names) == 3
    assert embedder_name("http://127.0.0.1:9/v1/#a") in names


@pytest.mark.parametrize(
    "address",
    ["http://127.0.0.1:9/v1", "http://#a", "http://me:secret@host/v1#a", "http://host:port/v1#a", "http://h/v1?k=1#a"],
)
def test_an_address_that_lacks_something_or_holds_a_secret_is_refused(address: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load_embedder(address)
    assert "nomic-embed-text" in str(caught.value)
    assert "secret" not in str(caught.value)


def test_weights_follow_the_family_of_the_model() -> None:
    e5 = load_embedder("http://127.0.0.1:9/v1#intfloat/e5-small-v2")
    other = load_embedder("http://127.0.0.1:9/v1#all-minilm")
    assert e5.traits == Traits(0.6, 0.75)
    assert other.traits == Traits(0.55, 0.35)
