"""Lines of mdoc, the macros of BSD's manuals, as a reader sees them.

The name of a macro and its arguments enter, text leaves. One line may name several macros, each for the words behind
it: ``.Op Fl v Ar file`` is “[-v file]”.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_JOIN = "\x01"
"""Stands where no blank is wanted."""
_JOINS = re.compile(r" ?\x01 ?")
_CLOSING, _OPENING = frozenset(".,:;)]?!"), frozenset("([")
_PAIRS = {
    **{"Op": "[]", "Oo": "[]", "Dq": "“”", "Do": "“”", "Qq": '""', "Qo": '""', "Sq": "‘’", "So": "‘’", "Ql": "‘’"},
    **{"Pq": "()", "Po": "()", "Aq": "<>", "Ao": "<>", "Bq": "[]", "Bo": "[]", "Brq": "{}", "Bro": "{}", "In": "<>"},
}
_ENDS = {"Oc": "]", "Dc": "”", "Qc": '"', "Sc": "’", "Pc": ")", "Ac": ">", "Bc": "]", "Brc": "}"}
_BEGINS = frozenset(("Oo", "Do", "Qo", "So", "Po", "Ao", "Bo", "Bro"))
"""Pairs that another macro closes."""
_WORDS = {
    "Ux": "UNIX",
    "Bx": "BSD",
    "Fx": "FreeBSD",
    "Nx": "NetBSD",
    "Ox": "OpenBSD",
    "Dx": "DragonFly",
    "At": "AT&T UNIX",
}
_PLAIN = frozenset(
    (
        *("Ad", "An", "Ap", "Ar", "Cd", "Cm", "Dv", "Em", "Er", "Ev", "Fa", "Fd", "Fl", "Fn", "Ft", "Ic", "Lb", "Li"),
        *("Lk", "Ms", "Mt", "Nd", "Nm", "No", "Ns", "Pa", "Pf", "St", "Sx", "Sy", "Ta", "Tn", "Va", "Vt", "Xr"),
    )
)
INLINE = _PLAIN | _PAIRS.keys() | _ENDS.keys() | _WORDS.keys()
"""Macros that stand in lines of text."""


def inline(macro: str, given: Sequence[str], called: str) -> str:
    """What a line says; `called` is the name that the page is about."""
    out: list[str] = []
    closers: list[str] = []
    current, used = "", 0
    for word in (macro, *given):
        if word in INLINE and not (current == "Xr" and used < 2) and not (current == "Pf" and not used):
            out += _unsaid(current, used, called)
            current, used = word, 0
            _begin(word, out, closers)
        elif word in _CLOSING:
            out += _unsaid(current, used, called)
            out.append(f"{_JOIN}{word}")
            used += 1
        elif word in _OPENING:
            out.append(f"{word}{_JOIN}")
        else:
            out.append(_formatted(current, word, used))
            used += 1
    out += _unsaid(current, used, called)
    behind = []
    while closers and out and out[-1][:1] == _JOIN and out[-1][1:] in _CLOSING:
        behind.append(out.pop())
    return _JOINS.sub("", " ".join([*out, *reversed(closers), *reversed(behind)]))


def _begin(macro: str, out: list[str], closers: list[str]) -> None:
    if macro in _PAIRS:
        begin, end = _PAIRS[macro][0], _PAIRS[macro][1]
        out.append(f"{begin}{_JOIN}")
        if macro not in _BEGINS:
            closers.append(f"{_JOIN}{end}")
    elif macro in _ENDS:
        out.append(f"{_JOIN}{_ENDS[macro]}")
    elif macro in _WORDS:
        out.append(_WORDS[macro])
    elif macro == "Ns":
        out.append(_JOIN)
    elif macro == "Ap":
        out.append(f"{_JOIN}'{_JOIN}")


def _formatted(macro: str, word: str, used: int) -> str:
    if macro == "Fl":
        return f"-{word}"
    if macro == "Xr" and used == 1:
        return f"{_JOIN}({word})"
    if macro == "Fn" and used == 0:
        return f"{word}()"
    if macro == "Nd" and used == 0:
        return f"– {word}"
    if macro == "Pf" and used == 0:
        return f"{word}{_JOIN}"
    return word


def _unsaid(macro: str, used: int, called: str) -> list[str]:
    """What a macro means to which no word was given."""
    if used:
        return []
    return {"Nm": [called], "Fl": ["-"], "Ar": ["file ..."]}.get(macro, [])
