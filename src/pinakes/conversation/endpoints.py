"""Where a model is asked and with which key.

Options and the environment enter; a `ModelEndpoint` leaves, or the sentence that says why there is none. The key stands
nowhere but in the field that the client packages get it from: it is not printed with the record.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from pinakes.conversation.options import PROVIDERS, ConversationOptions
from pinakes.errors import ConversationError
from pinakes.render.text import safe
from pinakes.user_folders import config_path

_USUAL = {
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_BASE_URL", "https://api.anthropic.com"),
    "openai": ("OPENAI_API_KEY", "OPENAI_BASE_URL", "https://api.openai.com/v1"),
}
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,99}\Z")
_ODD = re.compile(r"[\s\x00-\x20<>\"{}|\\^`]")


@dataclass(frozen=True, slots=True)
class ModelEndpoint:
    """A model and the server that runs it."""

    provider: str
    model: str
    address: str
    """Where requests go."""
    variable: str
    """The environment variable of the key."""
    is_usual: bool
    """Whether it is the provider's own server."""
    key: str = field(repr=False)
    """Empty where none is needed."""

    @property
    def host(self) -> str:
        """The server, for messages."""
        return safe(urlsplit(self.address).netloc)


def endpoint_of(options: ConversationOptions, environ: Mapping[str, str]) -> ModelEndpoint:
    """The endpoint that the options and the environment name; raises `ConversationError` where something is missing."""
    if options.provider not in PROVIDERS:
        raise ConversationError(f"There is no provider “{safe(options.provider)}”.", f"Use {' or '.join(PROVIDERS)}.")
    usual_key, usual_address, default = _USUAL[options.provider]
    if not options.model.strip():
        raise ConversationError(
            "No language model is chosen.",
            f"Set work.model in {_own_file(environ)}, or PINAKES_WORK_MODEL; the provider is “{options.provider}”.",
        )
    address = (options.endpoint or environ.get(usual_address, "") or default).strip().rstrip("/")
    _require_well_formed(address, environ)
    if options.provider == "anthropic":
        address = address.removesuffix("/v1")  # the package adds it, and people copy it along
    variable = options.key_variable or usual_key
    if not _VARIABLE.match(variable):
        raise ConversationError(
            "work.key_variable is no name of an environment variable.", "Write the name there, never the key itself."
        )
    key = environ.get(variable, "").strip()
    is_usual = urlsplit(address).hostname == urlsplit(default).hostname
    if not key and is_usual:
        raise ConversationError(
            f"There is no key for {safe(urlsplit(address).netloc)}.",
            f"Set {variable}, or name a server that needs none with work.endpoint.",
        )
    if not (key.isascii() and key.isprintable()):
        raise ConversationError(f"{variable} holds no key: there are letters in it that no key has.", "Set it again.")
    return ModelEndpoint(options.provider, options.model.strip(), address, variable, is_usual, key)


def _own_file(environ: Mapping[str, str]) -> str:
    path = config_path("config.toml", environ)
    return f"your own file ({safe(str(path)[:300])})" if path else "your own file"


def _require_well_formed(address: str, environ: Mapping[str, str]) -> None:
    try:
        parts = urlsplit(address)
        is_right = (
            not _ODD.search(address)
            and parts.scheme in ("http", "https")
            and bool(parts.hostname)
            and (parts.port is None or parts.port > 0)
        )
    except ValueError:
        is_right = False
    if not is_right:
        raise ConversationError(
            f"work.endpoint “{safe(address[:100])}” is no address of a server.",
            f"Set work.endpoint in {_own_file(environ)}, such as http://localhost:11434/v1.",
        )
    if parts.username is not None or parts.query or parts.fragment:
        raise ConversationError(
            "work.endpoint has a user name, a password, a question mark or a # in it.",
            "Leave it out; a key belongs into an environment variable.",
        )
