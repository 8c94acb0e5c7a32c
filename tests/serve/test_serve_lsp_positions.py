"""Bytes of a text and positions of an editor: each is found from the other, in every way of counting."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("pygls")

from lsprotocol.types import Position

from kits.lsp import framed
from pinakes.records import Span
from pinakes.serve.lsp.framing import bodies
from pinakes.serve.lsp.positions import TextPositions

TEXTS = st.text(st.sampled_from("aä😀\r\n\u2028\x0c\x85 "), max_size=30)
ENCODINGS = st.sampled_from(["utf-8", "utf-16", "utf-32"])


def units(text: str, encoding: str) -> int:
    return (
        len(text.encode(encoding if encoding == "utf-8" else f"{encoding}-le"))
        // {"8": 1, "6": 2, "2": 4}[encoding[-1]]
    )


@given(TEXTS, ENCODINGS)
def test_every_letter_is_where_a_plain_count_says(text: str, encoding: str) -> None:
    positions = TextPositions(text.encode(), encoding)
    line, column = 0, 0
    for at, letter in enumerate(text):
        offset = len(text[:at].encode())
        is_inside_end = letter == "\n" and text[at - 1 : at] == "\r"
        if not is_inside_end:
            assert positions.position(offset) == Position(line, column)
            assert positions.offset(Position(line, column)) == offset
        if letter == "\n" or (letter == "\r" and text[at + 1 : at + 2] != "\n"):
            line, column = line + 1, 0
        elif letter != "\r":
            column += units(letter, encoding)
    assert positions.position(len(text.encode())).line == line
    assert len(positions) == len(re.split(r"\r\n|\n|\r", text))


@given(TEXTS, ENCODINGS, st.lists(st.integers(0, 120), max_size=8))
def test_positions_do_not_depend_on_those_asked_before(text: str, encoding: str, asked: list[int]) -> None:
    shared = TextPositions(text.encode(), encoding)
    for offset in asked:
        assert shared.position(offset) == TextPositions(text.encode(), encoding).position(offset)


@given(TEXTS, ENCODINGS, st.integers(0, 40), st.integers(0, 40))
def test_a_position_that_no_text_has_becomes_one_that_it_has(text: str, encoding: str, line: int, column: int) -> None:
    offset = TextPositions(text.encode(), encoding).offset(Position(line, column))
    assert 0 <= offset <= len(text.encode())
    text.encode()[:offset].decode()  # never within a letter


def test_a_byte_order_mark_of_a_file_has_no_width() -> None:
    positions = TextPositions("\ufeffab\nc".encode(), "utf-16", is_file=True)
    assert positions.position(3) == Position(0, 0)
    assert positions.range(Span(4, 6)).end == Position(1, 0)
    assert positions.offset(Position(0, 1)) == 4


@given(st.lists(st.binary(max_size=40), max_size=6), st.integers(1, 9))
def test_messages_are_read_however_they_are_cut(messages: list[bytes], size: int) -> None:
    data = b"".join(framed(one) for one in messages)
    chunks = [data[at : at + size] for at in range(0, len(data), size)]
    assert list(bodies(lambda: chunks.pop(0) if chunks else b"")) == messages


@given(st.binary(max_size=60).filter(lambda noise: b"\r\n\r\n" not in noise + b"\r\n"))
def test_noise_before_a_message_does_not_hide_it(noise: bytes) -> None:
    chunks = [noise + b"\r\n", framed(b"{}"), framed(b"[]")]
    found = list(bodies(lambda: chunks.pop(0) if chunks else b""))
    assert found[-2:] == [b"{}", b"[]"]
