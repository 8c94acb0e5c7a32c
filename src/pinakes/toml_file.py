"""Reads TOML that a stranger may have written: a project's settings, its synonyms, the front matter of a document.

Text or a path enters, tables leave. The standard library's parser needs time and memory by the square of a dotted key's
length and recurses into nested arrays, so size, dots and depth are bounded before and while it parses.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from msgspec import Struct

from pinakes.errors import ConfigError

MOST_BYTES = 256 * 1024
MOST_DOTS = 500
"""Per line. A key ends with its line, so the dots of a line bound the parts of a key: one key of 130,000 parts (256 kB
of text) takes gigabytes, one of 500 parts a megabyte. No line of prose has so many."""


class BadToml(ValueError):
    """Text that is not TOML, or that must not be parsed. The message follows a name: “… is not valid TOML”."""


class TomlFile(Struct, frozen=True):
    """A file and its tables."""

    path: Path
    text: str
    tables: dict[str, object]


def parse_toml(text: str) -> dict[str, object]:
    """The tables of a text; raises `BadToml`."""
    import tomllib

    for number, line in enumerate(text.split("\n"), 1):
        if line.count(".") > MOST_DOTS:
            raise BadToml(f"has more than {MOST_DOTS} dots in line {number}")
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise BadToml("has brackets that are nested too deeply") from None
    except ValueError as error:  # TOMLDecodeError, and numbers of thousands of digits
        raise BadToml(f"is not valid TOML: {str(error)[:200]}") from None


def read_toml(path: Path, within: Path | None = None) -> TomlFile | None:
    """The file at `path`; None when there is none. Raises `ConfigError` for one that cannot or must not be read.

    With `within`, the file must lie inside that folder, links resolved: a project must not make Pinakes read, and quote
    in an error, a file elsewhere.
    """
    data = read_bytes(path, within)
    if data is None:
        return None
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}, line {line}: this is not UTF-8.", "Save the file as UTF-8.") from None
    try:
        return TomlFile(path, text, parse_toml(text))
    except BadToml as error:
        raise ConfigError(f"{path} {error}.", "Correct that place.") from None


def read_bytes(path: Path, within: Path | None = None) -> bytes | None:
    """The content of a small plain file; None when there is none. Raises `ConfigError`."""
    if within is not None and not Path(os.path.realpath(path)).is_relative_to(os.path.realpath(within)):
        raise ConfigError(
            f"{path} is a link that leaves the project, so it is not read.",
            "Put the file itself there, or remove the link.",
        )
    try:
        # Opening a pipe waits for a writer unless told not to.
        descriptor = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0))
        try:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise ConfigError(f"{path} is not a plain file.", "Put a file of settings there, or remove it.")
            with open(descriptor, "rb", closefd=False) as file:
                data = file.read(MOST_BYTES + 1)
        finally:
            os.close(descriptor)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise ConfigError(f"{path} cannot be read: {error.strerror}.", "Check its permissions.") from error
    if len(data) > MOST_BYTES:
        raise ConfigError(f"{path} is larger than {MOST_BYTES // 1024} kB.", "Shorten it.")
    return data
