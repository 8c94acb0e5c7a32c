"""Text for a terminal: nothing in it can steer the terminal."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pinakes.render import one_line, safe
from pinakes.render.text import UNSEEN, is_plain

ANY = st.text(st.characters(exclude_categories=()), max_size=60)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain words, ünïcödé, 日本語, 😀", "plain words, ünïcödé, 日本語, 😀"),
        ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
        ("\x1b]8;;http://x\x07link", "\\x1b]8;;http://x\\x07link"),
        ("\x9b2J", "\\x9b2J"),
        ("abc\u202egpj.exe", "abc\\u202egpj.exe"),
        ("zero\u200bwidth\ufeff", "zero\\u200bwidth\\ufeff"),
        ("hidden\U000e0041", "hidden\\U000e0041"),
        ("half \udc80", "half \\udc80"),
        ("می\u200cخواهم क्\u200dष 👨\u200d👩\u200d👧 ❤️\u200d🔥", "می\u200cخواهم क्\u200dष 👨\u200d👩\u200d👧 ❤️\u200d🔥"),
        ("hid\u200cden \u200d می\u200c\u200cخو", "hid\\u200cden \\u200d می\\u200c\\u200cخو"),
        ("two\nlines\tand a tab", "two\\x0alines\\x09and a tab"),
    ],
)
def test_what_steers_or_hides_is_spelled_out(text: str, shown: str) -> None:
    assert safe(text) == shown


def test_lines_and_tabs_stay_where_they_are_kept() -> None:
    assert safe("a\r\nb\tc\rd\x1b", keep="\n\t") == "a\nb\tc\nd\\x1b"


@given(ANY)
def test_safe_text_can_always_be_printed_and_is_safe_already(text: str) -> None:
    shown = safe(text)
    shown.encode()
    assert safe(shown) == shown
    assert not any(ord(letter) < 32 or 0x7F <= ord(letter) < 0xA0 for letter in shown)


@given(ANY, st.integers(2, 40))
def test_one_line_is_one_short_line_without_anything_hidden(text: str, longest: int) -> None:
    shown = one_line(text, longest)
    assert len(shown) <= longest
    assert len(shown.splitlines()) <= 1
    assert safe(shown) == shown


def test_what_is_called_plain_holds_nothing_unseen() -> None:
    texts = (f"a{chr(number)}" for number in range(0x110000))
    assert [text for text in texts if UNSEEN.search(text) and is_plain(text)] == []
    assert is_plain("“Déjà vu” › 東京 – naïve × 2 → ∞ 🙂")
