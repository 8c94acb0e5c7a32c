"""What do other packages add? Formats, embedders and checks, by entry points of Python packages.

The metadata of the packages that are installed beside Pinakes enters; plug-ins leave, or a sentence that names the
plug-in and what is wrong with it. Only what the user installed is looked at: nothing in a folder of documents becomes a
plug-in. The records of this module are the promise that plug-ins are written for.
"""

from pinakes.plugins.discovery import PluginEntry, installed_plugins
from pinakes.plugins.loading import PluginGroup, plugin_named, plugin_states, plugins_of
from pinakes.plugins.promise import (
    PROMISE,
    EmbedderPlugin,
    FinderPlugin,
    FormatPlugin,
    PlainDocument,
    PlainFinding,
)
from pinakes.records.made_text import MadeText

__all__ = [
    "PROMISE",
    "EmbedderPlugin",
    "FinderPlugin",
    "FormatPlugin",
    "MadeText",
    "PlainDocument",
    "PlainFinding",
    "PluginEntry",
    "PluginGroup",
    "installed_plugins",
    "plugin_named",
    "plugin_states",
    "plugins_of",
]
