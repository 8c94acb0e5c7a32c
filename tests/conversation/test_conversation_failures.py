"""Any error of a provider becomes a printable sentence with a next step, and no key stands in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from hypothesis import given
from hypothesis import strategies as st

from pinakes.conversation.endpoints import ModelEndpoint
from pinakes.conversation.failures import failure, no_such_model
from pinakes.render.text import safe

KEY = "sk-0123456789abcdef"
ENDPOINT = ModelEndpoint("openai", "m\u202e", "https://model.example/v1", "OPENAI_API_KEY", is_usual=False, key=KEY)
TEXTS = st.text(max_size=30) | st.just(f"bad key {KEY}!") | st.text(max_size=3).map(lambda text: f"{KEY}{text}")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["error", "message", "type", "code", "detail", "x"]), inner, max_size=4)
    ),
    max_leaves=8,
)


@dataclass
class Reply:
    """The answer that an error of a client package holds."""

    headers: dict[str, str] = field(default_factory=dict)


class StatusError(Exception):
    """An error as the packages of both providers raise them."""

    def __init__(self, status_code: int, body: object, retry_after: str) -> None:
        super().__init__(f"Error code: {status_code} - {body}")
        self.status_code = status_code
        self.body = body
        self.response = Reply({"retry-after": retry_after})


def is_calm(text: str) -> bool:
    """Whether it is one line that does nothing to a terminal."""
    return safe(text) == text and "\n" not in text


@given(st.integers(200, 599), JSON, st.text(max_size=5) | st.integers().map(str) | st.floats().map(str))
def test_any_refusal_is_a_sentence(status: int, body: object, retry_after: str) -> None:
    said = failure(StatusError(status, body, retry_after), ENDPOINT)
    assert is_calm(str(said))
    assert said.problem.endswith(".")
    assert said.next_step.endswith(".")
    assert KEY not in str(said)
    assert len(str(said)) < 1000


@given(st.sampled_from([ValueError, TypeError, RecursionError, AttributeError, OSError, ConnectionError]), TEXTS)
def test_any_other_error_is_one_too(kind: type[Exception], text: str) -> None:
    said = failure(kind(text), ENDPOINT)
    assert is_calm(str(said))
    assert KEY not in str(said)
    assert said.next_step


@given(st.lists(st.text(max_size=200), max_size=20).map(tuple))
def test_any_names_of_models_can_be_offered(offered: tuple[str, ...]) -> None:
    said = str(no_such_model(ENDPOINT, offered))
    assert is_calm(said)
    assert len(said) < 2500
