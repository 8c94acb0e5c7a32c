"""What points where?

Documents and links as written enter; the names documents answer to, links as understood, and measures of the whole
graph leave. Where any of it is kept is a store's business: this room only asks a `Reader`.
"""

from pinakes.graph.around import around, surroundings
from pinakes.graph.layout import lay_out
from pinakes.graph.measures import communities, components, section_ranks
from pinakes.graph.names import is_index, key_of, keys_of, names_of
from pinakes.graph.resolve import NameTable, resolve, resolve_pending

__all__ = [
    "NameTable",
    "around",
    "communities",
    "components",
    "is_index",
    "key_of",
    "keys_of",
    "lay_out",
    "names_of",
    "resolve",
    "resolve_pending",
    "section_ranks",
    "surroundings",
]
