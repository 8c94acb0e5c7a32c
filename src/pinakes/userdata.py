"""Where a user's own data is kept on this system. The environment enters, a folder leaves; nothing is made."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def user_data(environment: Mapping[str, str] = os.environ) -> Path | None:
    """The folder for Pinakes in the user's data; None when the environment names no home."""
    if os.name == "nt":
        base = environment.get("APPDATA", "")
    else:
        base = environment.get("XDG_DATA_HOME", "")
        if not os.path.isabs(base):
            home = environment.get("HOME", "")
            base = os.path.join(home, ".local", "share") if home else ""
    return Path(base, "pinakes") if os.path.isabs(base) else None
