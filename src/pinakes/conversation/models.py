"""From settings to a model that can be asked."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib.util import find_spec

from pinakes.conversation.chat_model import ChatModel
from pinakes.conversation.endpoints import endpoint_of
from pinakes.conversation.options import ConversationOptions
from pinakes.errors import ConversationError


def chat_model(options: ConversationOptions, environ: Mapping[str, str] = os.environ) -> ChatModel:
    """The model that the options name; raises `ConversationError` where a package, a name or a key is missing. Nothing
    is sent yet."""
    endpoint = endpoint_of(options, environ)
    if not _is_installed(options.provider):
        raise ConversationError(
            f"The package “{options.provider}” is not installed.", "Install it with pip install 'pinakes[work]'."
        )
    if options.provider == "anthropic":
        from pinakes.conversation.anthropic_model import AnthropicModel

        return AnthropicModel(endpoint, options)
    from pinakes.conversation.openai_model import OpenAiModel

    return OpenAiModel(endpoint, options)


def _is_installed(package: str) -> bool:
    try:
        return find_spec(package) is not None
    except ValueError:  # it was taken out of the running program
        return False
