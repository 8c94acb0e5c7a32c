"""What a user's own git settings say: under which name to commit, and how lines end.

A working tree enters; a `CommitAuthor` leaves. Settings are read as data. Those of the repository decide about line
ends, which cannot do harm, and never about the name: an archive could bring any name along.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator

from msgspec import Struct

from pinakes.errors import BadCommit
from pinakes.sources.git.checkout import Checkout, config_of
from pinakes.sources.git.command import list_settings

_USERS_OWN = ("HOME", "XDG_CONFIG_HOME", "GIT_CONFIG_GLOBAL", "USERPROFILE", "HOMEDRIVE", "HOMEPATH")
_NAME = re.compile(r"[^\x00-\x1f<>\x7f]{1,200}")
_LINE_ENDS = {"core.autocrlf": ("true", "false", "input"), "core.eol": ("lf", "crlf", "native")}
_VARIABLES = ("GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL")
_SET_THEM = "Set the variables GIT_AUTHOR_NAME and GIT_AUTHOR_EMAIL, or commit with git."


class CommitAuthor(Struct, frozen=True):
    """Who commits."""

    name: str
    email: str

    def variables(self, date: str) -> dict[str, str]:
        """What tells git who commits, and when."""
        said = {"NAME": self.name, "EMAIL": self.email, "DATE": date}
        return {f"GIT_{role}_{part}": value for role in ("AUTHOR", "COMMITTER") for part, value in said.items()}


class GitSettings:
    """Settings of the user and of a repository."""

    def __init__(self, program: str, checkout: Checkout) -> None:
        self._program = program
        self._own = dict(self._listed("--global", "--includes"))
        self._repository = dict(self._listed("--file", "-", said=config_of(checkout.repository)))

    def identity(self) -> CommitAuthor:
        """Who commits; raises `BadCommit` where nobody is named, or it depends on the repository."""
        name, email = (os.environ.get(variable, "").strip() for variable in _VARIABLES)
        if not (name and email):
            name, email = (self._own.get(key, "").strip() for key in ("user.name", "user.email"))
            for key, value in (("user.name", name), ("user.email", email)):
                if self._repository.get(key, value) != value:
                    raise BadCommit("This repository names an identity of its own, which may not be yours.", _SET_THEM)
            if any(self._names_user(path) for path in self._conditional()):
                raise BadCommit(
                    "Your git settings choose your identity by repository (includeIf), which is not done here.",
                    _SET_THEM,
                )
        if not (name and email):
            step = 'git config --global user.name "Your Name", and the same for user.email, says who you are.'
            raise BadCommit("Git does not know who you are.", step)
        if not (_NAME.fullmatch(name) and _NAME.fullmatch(email)):
            raise BadCommit("Your name or address in the git settings holds signs that git does not take.", _SET_THEM)
        return CommitAuthor(name, email)

    def line_ends(self) -> list[str]:
        """Options of git, so that it keeps lines as it would in the repository."""
        found = ["-c", "core.safecrlf=false"]
        for key, values in _LINE_ENDS.items():
            value = self._repository.get(key, self._own.get(key, "")).lower()
            found += ["-c", f"{key}={value}"] if value in values else []
        return found

    def _conditional(self) -> Iterator[str]:
        """Files that the user's settings include under a condition."""
        for key, value in self._own.items():
            if key.startswith("includeif.") and key.endswith(".path"):
                path = os.path.expanduser(value)
                for folder in (os.path.expanduser("~"), os.path.expanduser("~/.config/git")):
                    yield os.path.join(folder, path)

    def _names_user(self, path: str) -> bool:
        return os.path.isfile(path) and any(key.startswith("user.") for key, _ in self._listed("--file", path))

    def _listed(self, *where: str, said: bytes = b"") -> Iterator[tuple[str, str]]:
        """Settings by name; section and name in small letters."""
        own = {name: os.environ[name] for name in _USERS_OWN if name in os.environ}
        includes = [] if "--includes" in where else ["--no-includes"]
        for entry in list_settings(self._program, [*where, *includes], own, said).split(b"\0"):
            key, _, value = entry.partition(b"\n")
            if key:
                yield key.decode("utf-8", "replace"), value.decode("utf-8", "replace")
