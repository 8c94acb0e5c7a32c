"""An embedder that another package brings: its numbers become unit vectors, and its errors name it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pinakes.errors import ConfigError, ModelFailed, PinakesError
from pinakes.plugins import EmbedderPlugin, PluginGroup, plugin_named
from pinakes.plugins.loading import failed
from pinakes.records import Traits

if TYPE_CHECKING:
    from pinakes.ports import Vectors


class PluggedEmbedder:
    """The embedder of a plug-in; raises `PluginFailed`, and `ModelFailed` where it fails on a text."""

    def __init__(self, called: str) -> None:
        self._called = called
        self._plugin = plugged(called)
        self.name = name_of(self._plugin)
        self.traits = Traits(dense_weight=self._plugin.dense_weight, noise=self._plugin.noise)

    @property
    def dimensions(self) -> int:
        return self._plugin.dimensions

    def encode(self, texts: Sequence[str]) -> Vectors:
        import numpy as np

        try:
            rows = np.asarray(self._plugin.encode(list(texts)), dtype=np.float32)
            rows = rows.reshape(len(texts), self.dimensions)
        except PinakesError:
            raise
        except Exception as error:
            told = failed(PluginGroup.EMBEDDERS, self._called, error)
            raise ModelFailed(told.problem, told.next_step) from error
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        vectors: Vectors = np.nan_to_num(rows / np.where(lengths > 0, lengths, 1))
        return vectors


def plugged(called: str) -> EmbedderPlugin:
    """The plug-in under a name; raises `ConfigError` when there is none, and `PluginFailed`."""
    found = plugin_named(PluginGroup.EMBEDDERS, called)
    if not isinstance(found, EmbedderPlugin):
        raise ConfigError(f"There is no embedder called “{called}”.", "pinakes plugins lists what is installed.")
    return found


def name_of(plugin: EmbedderPlugin) -> str:
    """What names its vectors; never what a model of another kind is called."""
    return f"plugin-{plugin.name}"
