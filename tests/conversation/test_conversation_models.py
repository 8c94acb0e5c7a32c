"""Asking a model: real requests to a server that speaks the provider's protocol."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from kits.provider_protocols import LEAST_CACHED, anthropic_stretches
from kits.providers import ScriptedAnswer, providing
from pinakes.context import CACHE_TARGET
from pinakes.conversation import ChatModel, ConversationOptions
from pinakes.conversation.cache_targets import cache_target
from pinakes.conversation.models import chat_model
from pinakes.records.conversation import AnswerEnd, AnswerText, ChatMessage, ModelPrompt, PromptPart, Usage
from pinakes.tokens import count_tokens

TESTS = Path(__file__).parents[1]
SYSTEM = PromptPart("system", "You help.", is_cached=False)
PROMPT = ModelPrompt((SYSTEM,), (), "What is new?")
VARIABLES = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
both = pytest.mark.parametrize("provider", VARIABLES)
LONG = "Long ago, in a far place. " * 300


def said(model: ChatModel, prompt: ModelPrompt = PROMPT) -> tuple[str, AnswerEnd]:
    pieces = list(model.answer(prompt))
    end = pieces[-1]
    assert isinstance(end, AnswerEnd)
    return "".join(piece.text for piece in pieces if isinstance(piece, AnswerText)), end


@both
def test_an_answer_comes_in_pieces_and_ends_with_its_usage(provider: str) -> None:
    with providing(["Nothing much, as far as I can see."]) as server:
        options = ConversationOptions(provider, "qwen3", server.address(provider))
        text, end = said(chat_model(options, {VARIABLES[provider]: "k-123"}))
    assert text == "Nothing much, as far as I can see."
    assert end.is_whole
    assert end.usage.sent > 5
    assert (end.usage.cached, end.usage.written) == (0, 0)
    assert end.usage.answered == count_tokens(text)
    assert not end.usage.is_estimate
    assert server.asked[0].key == "k-123"


@both
@pytest.mark.parametrize("split", [1, 2, 3, 7, 1000])
def test_an_answer_is_the_same_however_its_bytes_are_cut(provider: str, split: int) -> None:
    text = "Grüße, 你好 👋🏽 — “quoted”\r\n\n\tindented\u2028line\x0cfeed, data: x\n\nevent: y"
    with providing([ScriptedAnswer(text, piece=1, split=split)]) as server:
        assert said(chat_model(ConversationOptions(provider, "m", server.address(provider)), {}))[0] == text


@both
def test_the_limit_of_an_answer_is_sent_and_reaching_it_is_told(provider: str) -> None:
    stop = "max_tokens" if provider == "anthropic" else "length"
    with providing([ScriptedAnswer("And then", stop=stop)]) as server:
        options = ConversationOptions(provider, "m", server.address(provider), max_answer_tokens=77)
        text, end = said(chat_model(options, {}))
    assert (text, end.is_whole) == ("And then", False)
    assert server.asked[0].body["max_tokens"] == 77
    assert server.asked[0].body["stream"] is True


@both
def test_without_counts_of_the_provider_ours_are_given_and_called_so(provider: str) -> None:
    with providing([ScriptedAnswer("Well.", has_usage=False)]) as server:
        _, end = said(chat_model(ConversationOptions(provider, "m", server.address(provider)), {}))
    assert end.usage == Usage(count_tokens(PROMPT.text()), None, 0, count_tokens("Well."), is_estimate=True)


def test_a_count_that_nobody_can_have_sent_is_not_believed() -> None:
    raw = (
        'data: {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}],'
        f' "usage": {{"prompt_tokens": {10**4000}, "completion_tokens": 1}}}}\n\ndata: [DONE]\n\n'
    )
    with providing([ScriptedAnswer(raw=raw)]) as server:
        _, end = said(chat_model(ConversationOptions("openai", "m", server.address("openai")), {}))
    assert end.usage.is_estimate


def test_an_endpoint_that_says_nothing_of_its_cache_leaves_it_open() -> None:
    raw = (
        'data: {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}],'
        ' "usage": {"prompt_tokens": 9, "completion_tokens": 1}}\n\ndata: [DONE]\n\n'
    )
    with providing([ScriptedAnswer(raw=raw)]) as server:
        _, end = said(chat_model(ConversationOptions("openai", "m", server.openai), {}))
    assert end.usage == Usage(9, None, 0, 1)


def tiered(question: str, active: str = "Active.") -> ModelPrompt:
    tiers = [PromptPart(name, f"{name} {LONG}", is_cached=True) for name in ("L0", "L1", "L2", "L3")]
    talk = (ChatMessage("user", "Earlier?"), ChatMessage("assistant", "Yes."))
    return ModelPrompt((SYSTEM, *tiers, PromptPart("active", active, is_cached=False)), talk, question)


def test_anthropic_gets_a_mark_at_the_end_of_each_tier_and_nowhere_else() -> None:
    with providing() as server:
        said(chat_model(ConversationOptions("anthropic", "m", server.anthropic), {}), tiered("Now?"))
    body = server.asked[0].body
    marked = [text.partition(" ")[0] for text, is_marked in anthropic_stretches(body) if is_marked]
    assert marked == ["L0", "L1", "L2", "L3"]
    assert [block.get("cache_control") for block in body["system"]] == [None, *[{"type": "ephemeral"}] * 4, None]
    assert body["messages"] == [
        {"role": "user", "content": "Earlier?"},
        {"role": "assistant", "content": "Yes."},
        {"role": "user", "content": "Now?"},
    ]


@both
def test_what_the_provider_had_in_its_cache_is_counted(provider: str) -> None:
    with providing() as server:
        model = chat_model(ConversationOptions(provider, "m", server.address(provider)), {})
        first = said(model, tiered("Now?"))[1].usage
        second = said(model, tiered("And now?", "Other things are active."))[1].usage
    settled = 4 * count_tokens(LONG)
    assert first.cached == 0
    assert second.cached is not None
    assert abs(second.cached - settled) < 200
    assert second.sent > second.cached
    if provider == "anthropic":
        assert abs(first.written - settled) < 200
        assert second.written == 0


def test_openai_gets_one_system_message_with_what_is_settled_first() -> None:
    with providing() as server:
        said(chat_model(ConversationOptions("openai", "m", server.openai), {}), tiered("Now?"))
    messages = server.asked[0].body["messages"]
    assert [one["role"] for one in messages] == ["system", "user", "assistant", "user"]
    places = [messages[0]["content"].index(part) for part in ("You help.", "L0 ", "L1 ", "L2 ", "L3 ", "Active.")]
    assert places == sorted(places)
    assert server.asked[0].body["stream_options"] == {"include_usage": True}


DIALECTS = [
    ("Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.", {"max_completion_tokens": 8192}),
    ("Extra inputs are not permitted: stream_options", {"max_tokens": 8192}),
]


@pytest.mark.parametrize(("message", "expected"), DIALECTS)
def test_what_a_server_does_not_know_is_said_otherwise(message: str, expected: dict[str, int]) -> None:
    with providing([ScriptedAnswer(status=400, message=message), "Now I see."]) as server:
        text, end = said(chat_model(ConversationOptions("openai", "m", server.openai), {}))
    first, second = (request.body for request in server.asked)
    assert text == "Now I see."
    assert first["max_tokens"] == 8192
    assert {name: second[name] for name in second if name.endswith("tokens")} == expected
    assert end.usage.is_estimate == ("stream_options" not in second)


@both
def test_a_server_of_ones_own_needs_no_key_and_gets_none_of_the_usual_ones(
    provider: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("ANTHROPIC_AUTH_TOKEN", "OPENAI_ADMIN_KEY", *VARIABLES.values()):
        monkeypatch.setenv(name, "sk-of-the-process")
    with providing() as server:
        said(chat_model(ConversationOptions(provider, "m", server.address(provider)), {}))
    assert "sk-of-the-process" not in json.dumps(server.asked[0].headers)


@both
@pytest.mark.parametrize("ending", ["", "/"])
def test_an_address_may_end_as_people_write_it(provider: str, ending: str) -> None:
    with providing() as server:
        said(chat_model(ConversationOptions(provider, "m", server.openai + ending), {}))
    assert server.asked[0].path in ("/v1/messages", "/v1/chat/completions")


@both
def test_the_key_may_stand_in_another_variable(provider: str) -> None:
    with providing(key="gsk-1") as server:
        options = ConversationOptions(provider, "m", server.address(provider), "MY_KEY")
        assert said(chat_model(options, {"MY_KEY": " gsk-1\n", VARIABLES[provider]: "sk-2"}))[0] == "All is well."


@both
def test_halves_of_letters_do_not_stop_a_question(provider: str) -> None:
    with providing() as server:
        prompt = ModelPrompt((SYSTEM,), (), "What is \ud83d here?")
        assert said(chat_model(ConversationOptions(provider, "m", server.address(provider)), {}), prompt)
    assert server.asked[0].question == "What is ? here?"


@both
def test_a_proxy_of_the_environment_is_used(provider: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with providing(["By the proxy."]) as server:
        for name in ("http_proxy", "HTTP_PROXY"):
            monkeypatch.setenv(name, server.anthropic)
        for name in ("no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        text, _ = said(chat_model(ConversationOptions(provider, "m", "http://model.example/v1"), {}))
    assert text == "By the proxy."
    assert server.asked[0].headers["host"] == "model.example"


@both
def test_one_model_answers_several_at_once(provider: str) -> None:
    with providing([ScriptedAnswer(f"Answer {number}.", when=f"Q{number}?") for number in range(8)]) as server:
        model = chat_model(ConversationOptions(provider, "m", server.address(provider)), {})
        found: dict[int, str] = {}

        def ask(number: int) -> None:
            found[number] = said(model, ModelPrompt((SYSTEM,), (), f"Q{number}?"))[0]

        threads = [threading.Thread(target=ask, args=[number]) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert found == {number: f"Answer {number}." for number in range(8)}


TARGETS = {
    "claude-sonnet-5-5": CACHE_TARGET,
    "claude-sonnet-4-5-20250929": CACHE_TARGET,
    "claude-opus-5": 564,
    "claude-opus-4-8": CACHE_TARGET,
    "claude-opus-4-5-20251101": 4506,
    "claude-haiku-4-5": 4506,
    "claude-3-5-haiku-20241022": 2253,
    "anthropic/claude-haiku-4.5": 4506,
    "gpt-large": CACHE_TARGET,
    "qwen3:8b": CACHE_TARGET,
}


@pytest.mark.parametrize("model", TARGETS)
def test_how_large_a_cached_tier_must_be_depends_on_the_model(model: str) -> None:
    assert cache_target(model) == TARGETS[model]
    options = ConversationOptions("openai", model, "http://localhost:1/v1")
    assert chat_model(options, {}).cache_target == TARGETS[model]
    own = ConversationOptions("anthropic", model, "http://localhost:1", cache_target_tokens=99)
    assert chat_model(own, {}).cache_target == 99
    assert CACHE_TARGET > LEAST_CACHED


def test_neither_package_is_loaded_before_somebody_asks() -> None:
    script = (
        "import sys; from pinakes.conversation import ConversationOptions; "
        "from pinakes.conversation.models import chat_model; "
        "model = chat_model(ConversationOptions('openai', 'm', 'http://localhost:1/v1'), {}); "
        "print([name for name in ('anthropic', 'openai', 'httpx2', 'pydantic') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_the_server_of_these_tests_can_be_run_by_hand(tmp_path: Path) -> None:
    rows = [{"text": "First."}, {"text": "On cats.", "when": "cats"}, {"text": "Last."}]
    (tmp_path / "answers.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    command = [sys.executable, "-m", "kits.providers", "--answers", str(tmp_path / "answers.jsonl"), "--key", "k"]
    with subprocess.Popen(command, cwd=TESTS, stdout=subprocess.PIPE, text=True) as running:
        try:
            assert running.stdout is not None
            lines = dict(running.stdout.readline().split() for _ in range(2))
            model = chat_model(ConversationOptions("openai", "m", lines["openai"]), {"OPENAI_API_KEY": "k"})
            asked = ("One?", "What of cats?", "Two?", "Three?")
            answers = [said(model, ModelPrompt((SYSTEM,), (), question))[0] for question in asked]
        finally:
            running.terminate()
    assert answers == ["First.", "On cats.", "Last.", "Last."]
