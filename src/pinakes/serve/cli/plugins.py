"""`pinakes plugins`: which plug-ins are installed, and whether they work."""

from __future__ import annotations

import click

from pinakes.plugins.loading import PluginState, plugin_states
from pinakes.render import safe
from pinakes.serve.cli import frame
from pinakes.serve.cli.build import Output, show


@click.command("plugins")
@frame.json_option
@frame.guarded
def command(*, as_json: bool) -> None:
    """List the plug-ins that other packages bring: formats, embedders and finders of problems.

    Exit code 1 when there are none, 2 when one of them does not work.

    \b
    Example:
      pinakes plugins
      pinakes plugins --json
    """
    states = plugin_states()
    lines = [safe(_line(state)) for state in states] or ["No plug-ins are installed."]
    show(Output(states, "\n".join(lines), is_found=bool(states)), as_json=as_json)
    if any(state.problem for state in states):
        raise SystemExit(2)


def _line(state: PluginState) -> str:
    said = f"  {state.adds}" if state.adds else ""
    trouble = f"\n  left out: {state.problem}" if state.problem else ""
    return f"{state.group:9} {state.name}{said}  ({state.package} {state.version}){trouble}"
