"""The option `--store`: a folder, or the address of a database."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

from pinakes.errors import ConfigError
from pinakes.postgres import is_database_url
from pinakes.postgres.address import require_url

StorePlace = Path | str
"""A folder, or the address of a database."""


class _StorePlace(click.ParamType[StorePlace]):
    name = "folder or URL"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> StorePlace:
        return str(value) if is_database_url(str(value)) else Path(value)


store_option = click.option(
    "--store",
    type=_StorePlace(),
    help="Where the index is kept: a folder, or postgresql://… Default: .pinakes in the root.",
)

database_option = click.option(
    "--store",
    "url",
    default="",
    metavar="URL",
    callback=lambda context, parameter, value: _database(value),
    help="The database that lists them: postgresql://… Default: PINAKES_STORE_URL; without either, this machine.",
)


def _database(value: str) -> str:
    if value:
        try:
            require_url(value)
        except ConfigError as error:
            raise click.BadParameter(str(error)) from error
    return value


def whole(place: StorePlace) -> str:
    """The place as it is called from any working folder."""
    return place if isinstance(place, str) else str(Path(os.path.realpath(place)))
