"""Where the libraries that have names are listed: in a database, if the user's settings name one, else on this machine.

The address of a database enters, or nothing; the libraries leave.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from pinakes.config import load_config
from pinakes.library.git_libraries import GitLibraries
from pinakes.user_folders import data_path

if TYPE_CHECKING:
    from pinakes.library.queued.libraries import DatabaseLibraries


def database_url(given: str = "") -> str:
    """The database that is meant: the one given, else that of the user's settings; empty for none."""
    return given or load_config(data_path("libraries") or Path("/")).store_url


def named_libraries(url: str = "") -> GitLibraries | DatabaseLibraries:
    """The libraries of a database, or of this user on this machine; raises like opening either."""
    url = database_url(url)
    if not url:
        return GitLibraries()
    from pinakes.library.queued.libraries import DatabaseLibraries  # with the client of PostgreSQL

    return DatabaseLibraries(url)
