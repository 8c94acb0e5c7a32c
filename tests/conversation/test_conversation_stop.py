"""A request can be ended at any moment, and the provider sees it at once."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest

from kits.providers import ScriptedAnswer, make_certificate, providing
from pinakes.conversation import AnswerStream, ConversationOptions
from pinakes.conversation.models import chat_model
from pinakes.errors import ConversationError
from pinakes.records.conversation import AnswerPiece, AnswerText, ModelPrompt, PromptPart

PROMPT = ModelPrompt((PromptPart("system", "You help.", is_cached=False),), (), "What is new?")
WAIT_S = 30
both = pytest.mark.parametrize("provider", ["anthropic", "openai"])


def asking(provider: str, address: str) -> AnswerStream:
    return chat_model(ConversationOptions(provider, "m", address), {}).answer(PROMPT)


def reading(answer: AnswerStream) -> tuple[threading.Thread, list[AnswerPiece | str]]:
    """Read an answer in a thread; what comes, and the name of an error at the end."""
    came: list[AnswerPiece | str] = []

    def read() -> None:
        try:
            came.extend(answer)
        except Exception as error:  # noqa: BLE001 - the test shows whatever it is
            came.append(repr(error))

    thread = threading.Thread(target=read)
    thread.start()
    return thread, came


@both
def test_closing_between_two_pieces_ends_the_request(provider: str) -> None:
    with providing([ScriptedAnswer("One two three four five.", hold_after=6)]) as server:
        answer = asking(provider, server.address(provider))
        first = next(answer)
        answer.close()
        assert server.left.wait(WAIT_S)
        assert isinstance(first, AnswerText)
        assert list(answer) == []
        answer.close()


@both
def test_closing_wakes_whoever_waits_for_the_next_piece(provider: str) -> None:
    with providing([ScriptedAnswer("One two three four five.", hold_after=6)]) as server:
        answer = asking(provider, server.address(provider))
        thread, came = reading(answer)
        assert server.held.wait(WAIT_S)
        answer.close()
        thread.join(WAIT_S)
        assert not thread.is_alive()
        assert server.left.wait(WAIT_S)
    assert all(isinstance(piece, AnswerText) for piece in came)


@both
def test_closing_ends_a_request_over_tls_as_well(
    provider: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    certificate = make_certificate(tmp_path)
    monkeypatch.setenv("SSL_CERT_FILE", str(tmp_path / "cert.pem"))
    with providing([ScriptedAnswer("One two three four five.", hold_after=6)], certificate=certificate) as server:
        answer = asking(provider, server.address(provider))
        thread, came = reading(answer)
        assert server.held.wait(WAIT_S)
        answer.close()
        thread.join(WAIT_S)
        assert not thread.is_alive()
        assert server.left.wait(WAIT_S)
    assert came
    assert all(isinstance(piece, AnswerText) for piece in came)


@both
def test_closing_wakes_whoever_waits_for_the_first_byte(provider: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        answer = asking(provider, f"http://127.0.0.1:{silent.getsockname()[1]}")
        thread, came = reading(answer)
        connection, _ = silent.accept()
        with connection:
            assert connection.recv(4) == b"POST"
            answer.close()
            thread.join(WAIT_S)
            assert not thread.is_alive()
            while connection.recv(65_536):
                """Until the other side is gone."""
    assert came == []


@both
def test_closing_wakes_whoever_waits_to_ask_a_busy_server_again(provider: str) -> None:
    busy = ScriptedAnswer(status=503, headers=(("retry-after", "8"),))
    with providing([busy]) as server:
        answer = asking(provider, server.address(provider))
        thread, came = reading(answer)
        assert server.heard.wait(WAIT_S)
        answer.close()
        thread.join(WAIT_S)
        assert not thread.is_alive()
    assert came == []
    assert len(server.asked) == 1


@both
def test_an_answer_that_was_closed_before_it_began_sends_nothing(provider: str) -> None:
    with providing() as server:
        answer = asking(provider, server.address(provider))
        answer.close()
        assert list(answer) == []
    assert server.asked == []


@both
def test_an_answer_that_nobody_wants_any_more_ends_by_itself(provider: str) -> None:
    with providing([ScriptedAnswer("One two three four five.", hold_after=6)]) as server:
        for piece in asking(provider, server.address(provider)):
            assert isinstance(piece, AnswerText)
            break
        assert server.left.wait(WAIT_S)


@both
@pytest.mark.parametrize("piece", ["x" * 1_000, "data: xxxxxxxx\n" * 100], ids=["line", "lines"])
def test_an_event_without_an_end_breaks_off_and_is_not_gathered_for_ever(provider: str, piece: str) -> None:
    endless = "data: " + piece * (17_000_000 // len(piece))
    with providing([ScriptedAnswer(raw=endless, hold_after=1, split=1_000_000)]) as server:
        with pytest.raises(ConversationError, match="broke off"):
            list(asking(provider, server.address(provider)))
        assert server.left.wait(WAIT_S)


def test_the_body_of_a_refusal_has_an_end() -> None:
    with (
        providing([ScriptedAnswer(status=400, raw="x" * 17_000_000)]) as server,
        pytest.raises(ConversationError) as failed,
    ):
        list(asking("openai", server.openai))
    assert len(str(failed.value)) < 1_000
