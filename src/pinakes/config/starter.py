"""The file that `pinakes init` writes: every key with its default and what it means, all of it commented out.

Made from the options themselves and the line under each of their fields, so it cannot say anything else than they do.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from itertools import pairwise

from pinakes.config.consent import USERS_ONLY
from pinakes.config.settings import STORE, TABLES, Key, keys
from pinakes.config.values import expected, written

WIDTH = 100

_HEAD = """\
# Settings of Pinakes for this project; “pinakes init” wrote this file.
# Every key is shown with its default. To change one, remove the “#” before it.
# Stronger than this file: arguments, then environment variables (PINAKES_KEYWORDS_TOP_N=5).
# Weaker: your own file, ~/.config/pinakes/config.toml. It alone may name places outside the project, and
# the language model to talk with, [work].
"""

_STORE_LINE = "The folder the index is kept in, relative to this file."


def starter_config() -> str:
    """A commented `pinakes.toml` with every key that a project may set."""
    parts = [_HEAD, _entry(STORE, _STORE_LINE)]
    for table, options in TABLES.items():
        if table in USERS_ONLY:
            continue
        lines = explanations(options)
        parts.append(f"[{table}]\n{_comment(_first_line(options))}")
        parts.extend(_entry(key, lines.get(key.name, "")) for key in keys().values() if key.table == table)
    return "\n".join(parts)


def explanations(options: type) -> dict[str, str]:
    """The line under each field of a dataclass; empty where the source is not installed."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(options))).body[0]
    except OSError:
        return {}
    body = tree.body if isinstance(tree, ast.ClassDef) else []
    found = {}
    for before, after in pairwise(body):
        if isinstance(before, ast.AnnAssign) and isinstance(before.target, ast.Name) and isinstance(after, ast.Expr):
            description = after.value.value if isinstance(after.value, ast.Constant) else ""
            found[before.target.id] = " ".join(str(description).split()).replace("``", "").replace("`", "")
    return found


def _first_line(options: type) -> str:
    return (options.__doc__ or "").strip().split("\n")[0]


def _entry(key: Key, explanation: str) -> str:
    takes = expected(key)
    description = f"{explanation} {takes[0].upper()}{takes[1:]}." if key.limits else explanation
    return f"{_comment(description)}#{key.name} = {written(key.default)}\n"


def _comment(text: str) -> str:
    return "".join(f"# {line}\n" for line in textwrap.wrap(text, WIDTH - 2, break_on_hyphens=False))
