"""`pinakes context`: the prompt for a language model, and what a recorded session would have cost."""

from __future__ import annotations

from pathlib import Path

import click

from pinakes.context import CACHE_TARGET, ReplayCost, SessionRequest, read_session, replay
from pinakes.context.modes import ContextMode
from pinakes.errors import ConfigError
from pinakes.library.session_replay import session_modes, session_requests
from pinakes.records import CODE
from pinakes.render.context import layout_text
from pinakes.serve.cli import frame
from pinakes.serve.cli.build import Output, show, takes
from pinakes.serve.cli.store_place import StorePlace, store_option
from pinakes.serve.requests.context import ContextRequest

_LARGEST = 200_000_000
_SESSIONS, _SESSION_ENDING = "sessions", ".jsonl"
"""The folder and the ending of conversations, for those who name the file."""


class _Context(click.Group):
    """Options of its own, and `replay` behind them."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([("replay", "Show what a recorded session would have cost in several layouts.")])


@click.group("context", cls=_Context, invoke_without_command=True)
@frame.root_option
@store_option
@frame.guarded
@takes(ContextRequest, {})
@frame.json_option
@frame.sync_option
def command(
    request: ContextRequest, root: Path | None, store: StorePlace | None, *, as_json: bool, do_sync: bool = True
) -> None:
    """Show the prompt for a language model: what it is told, the map, and the selected files in full.

    What is most settled stands first, in up to four tiers that end where a provider's cache may be marked. --explain
    lists the blocks instead: the tier of each, in how many requests it did not change, and its tokens.

    \b
    Example:
      pinakes context --select docs/guide.md --budget 4000
      pinakes context --mode code --select src/app.py --explain
      pinakes context replay session.jsonl
    """
    if click.get_current_context().invoked_subcommand:
        return
    opened, _ = frame.library(root, store)
    with opened as library:
        corpora = (CODE,) if request.mode is ContextMode.CODE and CODE in library.corpora else ()
        frame.refresh(library, ("docs", *corpora) if corpora else (), do_sync=do_sync)
        found = request.run(library)
    blocks = layout_text(found.layout, found.tokens, found.cached_tokens)
    show(Output(found, blocks if request.explain else found.prompt.text()), as_json=as_json)


@command.command("replay")
@click.argument("session")
@frame.root_option
@store_option
@click.option(
    "--cache-target", type=click.IntRange(0, 1_000_000), default=CACHE_TARGET, help="Least tokens of a cached tier."
)
@frame.json_option
@frame.guarded
def replay_command(
    session: str, root: Path | None, store: StorePlace | None, *, cache_target: int, as_json: bool
) -> None:
    """Show what the requests of SESSION would have cost in several layouts.

    SESSION is the id of a conversation, as `pinakes ask --sessions` lists them, or a file of JSON lines with recorded
    requests.

    \b
    Example:
      pinakes context replay 20261119-153400-02be2d
      pinakes context replay session.jsonl
    """
    name = Path(session)
    is_kept = name.suffix == _SESSION_ENDING and name.parent.name == _SESSIONS
    is_id = is_kept or not (name.suffix or name.exists())
    requests = _held(name.stem, root, store) if is_id else _recorded(name)
    if not requests:
        raise ConfigError(f"{session} holds no requests.", "Name a session in which something was asked.")
    costs = replay(requests, cache_target)
    show(Output(costs, _table(costs)), as_json=as_json)


def _held(session: str, root: Path | None, store: StorePlace | None) -> list[SessionRequest]:
    """The requests of a conversation, over the library as it is."""
    opened, _ = frame.library(root, store)
    with opened as library:
        has_code = ContextMode.CODE in session_modes(library, session) and CODE in library.corpora
        frame.refresh(library, ("docs", CODE) if has_code else (), do_sync=True)
        return list(session_requests(library, session))


def _recorded(file: Path) -> list[SessionRequest]:
    try:
        if file.stat().st_size > _LARGEST:
            raise ConfigError(f"{file} holds more than {_LARGEST:,} bytes.", "Name a recorded session.")
        return list(read_session(file.read_text(encoding="utf-8").split("\n"), str(file)))
    except UnicodeDecodeError:
        raise ConfigError(f"{file} is no text in UTF-8.", "Name a recorded session.") from None
    except OSError as error:
        raise ConfigError(f"{file} cannot be read: {error.strerror}.", "Name a recorded session.") from None


def _table(costs: tuple[ReplayCost, ...]) -> str:
    lines = [f"{'layout':26}{'sent':>12}{'cached':>12}{'share':>8}{'cost':>14}"]
    for one in costs:
        share = one.cached / one.sent if one.sent else 0.0
        lines.append(f"{one.layout:26}{one.sent:>12,}{one.cached:>12,}{share:>8.0%}{one.cost:>14,.0f}")
    return "\n".join([*lines, f"{costs[0].requests} requests; cost in tokens of full price"])
