"""Whatever goes wrong between us and a provider is said in a sentence with a next step, and no key is in it."""

from __future__ import annotations

import logging
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from kits.providers import MODELS, ScriptedAnswer, make_certificate, providing
from pinakes.conversation import ConversationOptions
from pinakes.conversation.models import chat_model
from pinakes.errors import ConversationError
from pinakes.records.conversation import AnswerText, ModelPrompt, PromptPart

PROMPT = ModelPrompt((PromptPart("system", "You help.", is_cached=False),), (), "What is new?")
PROVIDERS = ("anthropic", "openai")
VARIABLES = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
KEY = "sk-very-secret-0123456789"
both = pytest.mark.parametrize("provider", PROVIDERS)


def failing(provider: str, address: str, key: str = KEY, timeout_s: int = 20) -> tuple[str, str]:
    """The text that came before the error, and the error."""
    options = ConversationOptions(provider, "qwen3", address, timeout_s=timeout_s)
    came = []
    with pytest.raises(ConversationError) as caught:
        for piece in chat_model(options, {VARIABLES[provider]: key}).answer(PROMPT):
            came.append(piece.text if isinstance(piece, AnswerText) else "")
    assert caught.value.next_step
    assert str(caught.value).isprintable()
    assert caught.value.__cause__ is None
    return "".join(came), str(caught.value)


NO_WAIT = (("retry-after", "0"),)

REFUSALS = [
    (401, "", f"invalid key {KEY}", "refuses the key in VARIABLE. Check it"),
    (403, "", "no", "does not allow “qwen3” with the key in VARIABLE. Use a key that may"),
    (402, "billing_error", "pay", "has no credit left, or its quota is used up. See to it at the provider."),
    (400, "", "Your credit balance is too low to access the API.", "has no credit left"),
    (429, "insufficient_quota", "You exceeded your current quota.", "has no credit left"),
    (400, "", "prompt is too long: 250000 tokens > 200000 maximum", "The prompt is too long for “qwen3”: prompt is"),
    (400, "context_length_exceeded", "This model's maximum context length is 8192 tokens.", "lower work.budget_tokens"),
    (400, "", "the request exceeds the available context size", "or begin a new session"),
    (413, "", "Request too large", "The prompt is too long"),
    (
        400,
        "",
        "max_tokens: 9 > 8, which is the most",
        "(400): max_tokens: 9 > 8, which is the most. Lower work.max_ans",
    ),
    (400, "", "temperature is odd", "does not accept the request (400): temperature is odd. Check work.endpoint"),
    (422, "", "nonsense", "does not accept the request (422): nonsense."),
    (429, "", "slow down", "takes no more requests for now: slow down. Ask again in a minute."),
    (500, "", "oops", "failed with 500: oops. Ask again."),
    (503, "", "later", "is overloaded. Ask again in a minute."),
    (529, "", "Overloaded", "is overloaded."),
    (504, "", "slow", "took too long. Ask again."),
    (307, "", "", "sends requests on to another address, and Pinakes does not follow with your documents."),
]


@both
@pytest.mark.parametrize(("status", "kind", "message", "expected"), REFUSALS)
def test_a_refusal_is_a_sentence_with_a_next_step(
    provider: str, status: int, kind: str, message: str, expected: str
) -> None:
    headers = (*NO_WAIT, ("location", "http://127.0.0.1:9/v1"))
    with providing([ScriptedAnswer(status=status, kind=kind, message=message, headers=headers)]) as server:
        came, said = failing(provider, server.address(provider))
        port = server.port
    assert came == ""
    assert expected.replace("VARIABLE", VARIABLES[provider]) in said
    assert KEY not in said
    assert f"127.0.0.1:{port}" in said or "too long" in said


@both
def test_a_rate_limit_says_how_long_to_wait_and_nobody_waits_meanwhile(provider: str) -> None:
    limited = ScriptedAnswer(status=429, message="slow down", headers=(("retry-after", "37"),))
    with providing([limited]) as server:
        _, said = failing(provider, server.address(provider))
    assert said.endswith("slow down. Ask again in 37 seconds.")
    assert len(server.asked) == 1


@both
@pytest.mark.parametrize("status", [429, 503, 529, 500])
def test_a_server_that_is_busy_for_a_moment_is_asked_again(provider: str, status: int) -> None:
    busy = ScriptedAnswer(status=status, message="busy", headers=NO_WAIT)
    with providing([busy, busy, ScriptedAnswer("Now.")]) as server:
        options = ConversationOptions(provider, "qwen3", server.address(provider))
        pieces = list(chat_model(options, {}).answer(PROMPT))
    assert "".join(piece.text for piece in pieces if isinstance(piece, AnswerText)) == "Now."
    assert len(server.asked) == 3


@both
def test_a_busy_server_is_not_asked_for_ever(provider: str) -> None:
    with providing([ScriptedAnswer(status=503, headers=NO_WAIT)]) as server:
        failing(provider, server.address(provider))
    assert len(server.asked) == 3


@both
def test_a_model_that_is_not_there_is_named_with_those_that_are(provider: str) -> None:
    with providing([ScriptedAnswer(status=404, message="model: qwen3")]) as server:
        _, said = failing(provider, server.address(provider))
    assert "has no model “qwen3”. Set work.model to one that it has: qwen3, " in said
    assert all(name in said for name in MODELS)


@both
def test_a_server_that_lists_no_models_gives_a_hint_about_its_address(provider: str) -> None:
    with providing([ScriptedAnswer(status=404, raw="404 page not found")]) as server:
        _, said = failing(provider, server.address(provider))
    assert "has no model “qwen3”. Set work.model to a model that it has, and check work.endpoint" in said


@both
@pytest.mark.parametrize("after", [1, 4, 5])
def test_what_came_before_a_cut_stays(provider: str, after: int) -> None:
    with providing([ScriptedAnswer("One two three four five six.", cut_after=after)]) as server:
        came, said = failing(provider, server.address(provider))
    assert "One two three four five six.".startswith(came)
    assert bool(came) == (after >= 4)
    assert "broke off. What came is kept; ask again." in said


@both
def test_silence_in_the_middle_is_an_end(provider: str) -> None:
    with providing([ScriptedAnswer("One two three four five six.", hold_after=5)]) as server:
        came, said = failing(provider, server.address(provider), timeout_s=1)
    assert came
    assert "broke off" in said
    assert server.left.wait(10)


@both
def test_silence_from_the_beginning_names_the_time(provider: str) -> None:
    silent = socket.create_server(("127.0.0.1", 0))
    with silent:
        _, said = failing(provider, f"http://127.0.0.1:{silent.getsockname()[1]}", timeout_s=1)
    assert "did not answer within 1 seconds. Ask again, or give it more time with work.timeout_s." in said


@both
@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        ("overloaded_error", "is overloaded."),
        ("rate_limit_error", "takes no more requests for now"),
        ("api_error", "failed with 500: Something"),
        ("invalid_request_error", "does not accept the request"),
    ],
)
def test_an_error_within_a_stream_is_told_like_one_before_it(provider: str, kind: str, expected: str) -> None:
    broken = ScriptedAnswer("One two three four.", error_after=5, kind=kind, message="Something happened")
    with providing([broken]) as server:
        came, said = failing(provider, server.address(provider))
    assert came
    assert expected in said


NONSENSE = [
    ("<html><body>Welcome to nginx</body></html>", "text/html"),
    ('{"hello": "world"}', "application/json"),
    ("", "text/event-stream"),
    ("data: {broken\n\n", "text/event-stream"),
    ("event: message_start\ndata: {broken\n\n", "text/event-stream"),
    ("event: message_start\ndata: 5\n\ndata: 5\n\n", "text/event-stream"),
    ('event: message_start\ndata: {"type": "message_start", "message": 7}\n\n', "text/event-stream"),
    ('data: {"choices": [7]}\n\ndata: {"choices": {"a": 1}}\n\n', "text/event-stream"),
    ('event: content_block_delta\ndata: {"type": "content_block_delta", "delta": []}\n\n', "text/event-stream"),
    ("event: message_start\ndata: " + "[" * 100_000 + "\n\n", "text/event-stream"),
    ("\x00\x01\x02", "application/octet-stream"),
]


@both
@pytest.mark.parametrize(("raw", "media"), NONSENSE)
def test_nonsense_is_called_so(provider: str, raw: str, media: str) -> None:
    with providing([ScriptedAnswer(raw=raw or "\n", media=media)]) as server:
        came, said = failing(provider, server.address(provider))
    assert came == ""
    assert "answered with something that is no answer" in said or "broke off" in said


@both
def test_an_answer_that_the_provider_refuses_is_an_error(provider: str) -> None:
    stop = "refusal" if provider == "anthropic" else "content_filter"
    with providing([ScriptedAnswer("I will not.", stop=stop)]) as server:
        came, said = failing(provider, server.address(provider))
    assert came == "I will not."
    assert "refused to answer this" in said


@both
def test_nothing_that_listens_is_told_from_a_name_that_nobody_knows(provider: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    _, said = failing(provider, f"http://127.0.0.1:{port}")
    assert f"Nothing answers at 127.0.0.1:{port}. Start that server, or check work.endpoint." in said
    _, said = failing(provider, "http://nobody.invalid/v1")
    assert "The name nobody.invalid is not known. Check the network and work.endpoint." in said


@both
def test_a_certificate_that_nobody_vouches_for_is_refused(provider: str, tmp_path: Path) -> None:
    with providing(certificate=make_certificate(tmp_path)) as server:
        _, said = failing(provider, server.address(provider))
    assert f"There is no safe connection to 127.0.0.1:{server.port}: self-signed certificate" in said
    with providing() as server:
        _, said = failing(provider, server.address(provider).replace("http:", "https:"))
    assert "There is no safe connection to" in said
    assert "https or http" in said


@both
@pytest.mark.parametrize(
    ("name", "value"),
    [("ALL_PROXY", "socks5://127.0.0.1:9"), ("ALL_PROXY", "gopher://x"), ("SSL_CERT_FILE", "/nowhere/cert.pem")],
)
def test_an_environment_that_makes_no_sense_is_told(
    provider: str, name: str, value: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(name, value)
    _, said = failing(provider, "https://model.example/v1")
    assert "model.example" in said
    assert "ALL_PROXY" in said or "HTTPS_PROXY" in said or "cannot be reached" in said or "SSL_CERT_FILE" in said


@both
def test_a_proxy_that_does_not_answer_is_told_from_a_server_that_does_not(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("HTTPS_PROXY", f"http://127.0.0.1:{port}")
    _, said = failing(provider, "https://model.example/v1")
    assert said.startswith("The proxy that leads to model.example does not answer. Check HTTPS_PROXY")


@both
@pytest.mark.parametrize("address", ["http://-.-/v1", "http://xn--a/v1", "http://..../v1", "http://ä%/v1"])
def test_an_address_that_only_looks_like_one_is_told(provider: str, address: str) -> None:
    assert failing(provider, address)[0] == ""


@both
def test_keys_are_in_no_log_and_no_printed_form(provider: str, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with providing(["Fine.", ScriptedAnswer(status=500, message=f"{KEY} is odd", headers=NO_WAIT)]) as server:
        options = ConversationOptions(provider, "qwen3", server.address(provider))
        model = chat_model(options, {VARIABLES[provider]: KEY})
        assert list(model.answer(PROMPT))
        _, said = failing(provider, server.address(provider))
        assert KEY in server.asked[0].headers["authorization"]
    assert "… is odd" in said
    assert KEY not in caplog.text
    assert KEY not in repr(model)
    assert KEY not in repr(vars(model))


MISSING = [
    (ConversationOptions("anthropic"), {}, "No language model is chosen. Set work.model"),
    (ConversationOptions("openai"), {"XDG_CONFIG_HOME": "/own"}, "in your own file (/own/pinakes/config.toml), or PIN"),
    (ConversationOptions("anthropic", "m"), {}, "There is no key for api.anthropic.com. Set ANTHROPIC_API_KEY, or"),
    (ConversationOptions("openai", "m", "https://api.openai.com/v1/"), {}, "Set OPENAI_API_KEY, or"),
    (ConversationOptions("openai", "m"), {"OPENAI_API_KEY": " "}, "There is no key for api.openai.com. Set OPENAI_API"),
    (ConversationOptions("openai", "m", key_variable="GROQ_KEY"), {"OPENAI_API_KEY": "x"}, "Set GROQ_KEY"),
    (ConversationOptions("openai", "m", key_variable="sk-1234 56"), {}, "Write the name there, never the key itself."),
    (ConversationOptions("openai", "m", "localhost:11434"), {}, "is no address of a server. Set work.endpoint"),
    (ConversationOptions("openai", "m", "file:///etc/passwd"), {}, "is no address of a server."),
    (ConversationOptions("openai", "m", "http://a:99999/v1"), {}, "is no address of a server."),
    (ConversationOptions("openai", "m", "http://exa mple/v1"), {}, "is no address of a server."),
    (ConversationOptions("openai", "m", "http://[::1/v1"), {}, "is no address of a server."),
    (ConversationOptions("openai", "m", "http://u:p@a/v1"), {}, "has a user name, a password"),
    (ConversationOptions("openai", "m", "http://a/v1"), {"OPENAI_API_KEY": "kéy"}, "OPENAI_API_KEY holds no key"),
    (ConversationOptions("mistral", "m"), {}, "There is no provider “mistral”. Use anthropic or openai."),
]


@pytest.mark.parametrize(("options", "environment", "expected"), MISSING)
def test_why_there_is_no_conversation_is_told_before_anybody_asks(
    options: ConversationOptions, environment: dict[str, str], expected: str
) -> None:
    with pytest.raises(ConversationError) as caught:
        chat_model(options, environment)
    assert expected in str(caught.value)


def test_a_conversation_is_possible_with_a_key_or_with_a_server_of_ones_own() -> None:
    assert chat_model(ConversationOptions("anthropic", "m"), {"ANTHROPIC_API_KEY": "k"}).name == "m"
    assert chat_model(ConversationOptions("openai", "m", "http://localhost:11434/v1"), {}).name == "m"
    assert chat_model(ConversationOptions("openai", "m"), {"OPENAI_BASE_URL": "http://localhost:1/v1"}).name == "m"


@both
def test_a_package_that_is_not_installed_is_named_with_the_way_to_get_it(provider: str) -> None:
    script = (
        f"import sys; sys.modules['{provider}'] = None\n"
        "from pinakes.conversation import ConversationOptions; from pinakes.conversation.models import chat_model\n"
        "from pinakes.errors import ConversationError\n"
        f"try: chat_model(ConversationOptions('{provider}', 'm', 'http://localhost:1/v1'), {{}})\n"
        "except ConversationError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    expected = f"The package “{provider}” is not installed. Install it with pip install 'pinakes[work]'."
    assert done.stdout.strip() == expected
