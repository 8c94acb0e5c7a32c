"""All settings: one table per room, one key per field of the room's options, and the `Config` that holds them.

The rooms' dataclasses enter; a flat list of `Key`s leaves. Nothing here reads a file.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import get_args, get_origin, get_type_hints

from msgspec import NODEFAULT, Struct, field
from msgspec.structs import FieldInfo, fields

from pinakes.added import AddedOptions
from pinakes.check import CheckOptions
from pinakes.chunk import ChunkOptions
from pinakes.conversation.options import PROVIDERS, ConversationOptions
from pinakes.enrich import KeywordOptions
from pinakes.html.options import EDITORS, PageOptions
from pinakes.index import SyncOptions
from pinakes.memories import MemoryOptions
from pinakes.neural import NeuralOptions
from pinakes.outline import MapOptions
from pinakes.records.sites import AnchorStyle
from pinakes.search import SearchOptions, Weighing
from pinakes.search.profiles import all_parts
from pinakes.sources import CodeOptions, FolderOptions, HistoryOptions, RootOptions, WatchOptions

STORE_FOLDER = ".pinakes"

LIMITS: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "sources.max_file_bytes": (1, 1_000_000_000),
        "code.max_file_bytes": (1, 1_000_000_000),
        "keywords.top_n": (1, 50),
        "keywords.ngram": (1, 5),
        "keywords.min_chars": (0, 1_000_000),
        "keywords.min_score": (0, 1),
        "keywords.diversity": (0, 1),
        "keywords.contrast_only_chars": (0, 1_000_000),
        "keywords.max_doc_freq": (0, 1),
        "map.budget_tokens": (0, 100_000_000),
        "chunks.section_chars": (200, 100_000),
        "chunks.passage_chars": (100, 100_000),
        "chunks.plain_tokens": (50, 100_000),
        "chunks.plain_overlap": (0, 0.5),
        "search.limit": (1, 100),
        "search.per_document": (0, 100),
        "search.min_share": (0, 1),
        "search.duplicates": (0, 1),
        "search.duplicate_cosine": (0, 1),
        "search.mmr_lambda": (0, 1),
        "search.recency_days": (1, 3650),
        **{f"weights.{name}": (0, 10) for name in Weighing.__struct_fields__},
        "sync.workers": (0, 256),
        "sync.background_minutes": (0, 60),
        "watch.quiet_ms": (10, 60_000),
        "watch.longest_ms": (10, 600_000),
        "watch.reconcile_interval": (0, 1_000_000),
        "watch.poll_s": (1, 86_400),
        "check.max_age_days": (0, 3650),
        "check.timeout_s": (0.1, 600),
        "check.retries": (0, 10),
        "check.host_delay_s": (0, 60),
        "work.max_answer_tokens": (1, 1_000_000),
        "work.budget_tokens": (0, 100_000_000),
        "work.compact_at_tokens": (1_000, 100_000_000),
        "work.cache_target_tokens": (0, 1_000_000),
        "work.timeout_s": (1, 86_400),
    }
)
"""The smallest and the largest number a key takes; wide, to catch slips and not tastes."""

CHOICES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "memories.storage": ("project", "user", "everywhere"),
        "search.leave_out": all_parts(),
        "check.anchors": ("auto", *AnchorStyle),
        "page.editor": EDITORS,
        "work.provider": PROVIDERS,
    }
)
"""The only words a key takes, or a list of such words."""


class SettingLevel(StrEnum):
    """Where a setting comes from, the strongest first."""

    ARGUMENT = "argument"
    ENVIRONMENT = "environment"
    PROJECT = "project"
    USER = "user"
    DEFAULT = "default"


class ResolvedSetting(Struct, frozen=True):
    """One setting: its value and where the value comes from."""

    key: str
    """As written with a dot: ``keywords.top_n``."""
    value: object
    level: SettingLevel
    place: str
    """The file or the environment variable; empty for arguments and defaults."""


class Config(Struct, frozen=True):
    """Every setting of one library; each room is handed its own part only."""

    root: Path
    """The folder that is read; absolute, symbolic links resolved."""
    store: Path
    """The folder the index is kept in, or what goes with an index in a database; absolute, symbolic links resolved."""
    sources: FolderOptions
    """Which files are read."""
    roots: RootOptions
    """Which folders are read besides the root."""
    keywords: KeywordOptions
    """How a section's keywords are found."""
    map: MapOptions
    """How the map is fitted."""
    chunks: ChunkOptions
    """Where documents are cut for search."""
    search: SearchOptions
    """How questions are answered."""
    weights: Weighing
    """What the answers are weighed by."""
    neural: NeuralOptions
    """Which models compare meanings."""
    sync: SyncOptions
    """How the index is brought up to date."""
    watch: WatchOptions
    """How changes are noticed."""
    history: HistoryOptions
    """Whether commits are read."""
    code: CodeOptions
    """Whether source code is read."""
    memories: MemoryOptions
    """Where memories are kept."""
    added: AddedOptions
    """Where documents may be fetched from."""
    check: CheckOptions
    """By whose rules links are judged, and how servers on the web are asked."""
    page: PageOptions
    """How the page shows documents."""
    work: ConversationOptions
    """Which language model is asked."""
    folders: Mapping[str, str] = field(default_factory=dict)
    """Notes of folders by their paths, without slashes at the ends; empty for the root. A project's file alone has
    them, in a table with keys of its own."""
    store_url: str = ""
    """The address of the database that keeps the index; empty for none."""
    store_read_urls: tuple[str, ...] = ()
    """The addresses of that database's replicas."""
    store_library: str = ""
    """What the library is called there; no two libraries of a database share a name."""
    origins: tuple[ResolvedSetting, ...] = ()
    """Every key with its value and where it came from, in the order of the tables."""


TABLES: Mapping[str, type[Struct]] = MappingProxyType(
    {name: kind for name, kind in get_type_hints(Config).items() if isinstance(kind, type) and issubclass(kind, Struct)}
)
"""Each table of the file and the options its keys become: the fields of `Config`."""


class Key(Struct, frozen=True):
    """One thing that can be set."""

    table: str
    """Empty for `store`, which stands above the tables."""
    name: str
    kind: type
    """bool, int, float or str; for a list, of each item."""
    is_list: bool
    default: object
    limits: tuple[float, float] | None
    choices: tuple[str, ...] = ()
    """The only words it takes; empty for any."""

    @property
    def dotted(self) -> str:
        return f"{self.table}.{self.name}" if self.table else self.name

    @property
    def variable(self) -> str:
        """The environment variable that sets it."""
        return "PINAKES_" + self.dotted.replace(".", "_").upper()


STORE = Key("", "store", str, is_list=False, default=STORE_FOLDER, limits=None)
STORE_URL = Key("store", "url", str, is_list=False, default="", limits=None)
STORE_READ_URLS = Key("store", "read_urls", str, is_list=True, default=(), limits=None)
STORE_LIBRARY = Key("store", "library", str, is_list=False, default="", limits=None)


@cache
def keys() -> Mapping[str, Key]:
    """Every key by its dotted name: `store` and its table, then table by table in the order of the fields."""
    found = [STORE, STORE_URL, STORE_READ_URLS, STORE_LIBRARY]
    for table, options in TABLES.items():
        hints = get_type_hints(options)
        found.extend(_key(table, item, hints[item.name]) for item in fields(options))
    return MappingProxyType({key.dotted: key for key in found})


def _key(table: str, item: FieldInfo, hint: object) -> Key:
    is_list = get_origin(hint) is tuple and get_args(hint)[1:] == (Ellipsis,)
    kind = get_args(hint)[0] if is_list else hint
    if kind not in (bool, int, float, str):
        raise TypeError(f"{table}.{item.name}: a setting cannot be of type {hint}")
    default = item.default if item.default_factory is NODEFAULT else item.default_factory()
    dotted = f"{table}.{item.name}"
    return Key(table, item.name, kind, is_list, default, LIMITS.get(dotted), CHOICES.get(dotted, ()))
