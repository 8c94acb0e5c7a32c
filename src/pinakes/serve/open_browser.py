"""How a browser is shown a page, so that nothing in the folder we are in is run.

An address enters; whether there was a browser leaves. The module `webbrowser` looks for programs along PATH and starts
them where we are. So it runs in another Python, in the root of the file system, with a PATH in which no folder is
relative or lies among the documents.
"""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterable
from pathlib import Path

from pinakes.other_python import NEUTRAL, environment, python

_OPEN = "import sys, webbrowser; sys.exit(not webbrowser.open(sys.argv[1]))"


def open_browser(address: str, roots: Iterable[Path]) -> bool:
    """Show a page; a browser that runs in the terminal takes as long as somebody looks at it."""
    among = [os.path.realpath(root) for root in roots]
    folders = os.environ.get("PATH", os.defpath).split(os.pathsep)
    trusted = [one for one in folders if os.path.isabs(one) and not _is_among(os.path.realpath(one), among)]
    variables = {**environment(), "PATH": os.pathsep.join(trusted)}
    try:
        return subprocess.run(python("-c", _OPEN, address), cwd=NEUTRAL, env=variables, check=False).returncode == 0
    except OSError:
        return False


def _is_among(path: str, roots: Iterable[str]) -> bool:
    return any(Path(path).is_relative_to(root) for root in roots)
