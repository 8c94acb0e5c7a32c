"""Known vulnerabilities of what Pinakes depends on: `make audit`, which `make check` runs.

Every package that an install with all its extras brings is looked up in the advisories that pip-audit reads. Exit code
0: nothing is known, or the advisories cannot be reached from here, which is then said. 1: something is known.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

_EXTRAS = ("serve", "onnx", "add")
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_EXTRA = re.compile(r"extra\s*==\s*['\"]([\w-]+)['\"]")
_PATIENCE_S = 120


def main() -> int:
    needed = _needed("pinakes", {})
    with tempfile.TemporaryDirectory() as folder:
        pinned = Path(folder, "pinned.txt")
        pinned.write_text("".join(f"{name}=={version}\n" for name, version in sorted(needed.items())))
        command = [sys.executable, "-P", "-m", "pip_audit", "--format", "json", "--no-deps", "--disable-pip"]
        try:
            done = subprocess.run(
                [*command, "-r", str(pinned)],
                cwd=folder,
                capture_output=True,
                text=True,
                timeout=_PATIENCE_S,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return _say("The advisories did not answer; nothing was audited.")
    try:
        audited = json.loads(done.stdout)["dependencies"]
    except (ValueError, KeyError):
        return _say("The advisories cannot be reached from here; nothing was audited.")
    known = [one for one in audited if one.get("vulns")]
    skipped = sum("skip_reason" in one for one in audited)
    if skipped == len(audited):
        return _say("The advisories cannot be reached from here; nothing was audited.")
    for one in known:
        for advisory in one["vulns"]:
            fixed = ", ".join(advisory["fix_versions"]) or "no version yet"
            _say(f"{one['name']} {one['version']}: {advisory['id']}, mended in {fixed}")
    _say(f"{len(audited) - skipped} of {len(needed)} packages audited, {len(known)} with known vulnerabilities.")
    return 1 if known else 0


def _needed(name: str, found: dict[str, str]) -> dict[str, str]:
    """What a package needs, with the versions installed here; what is not installed here is left out."""
    for requirement in distribution(name).requires or ():
        wanted = _NAME.match(requirement)
        extra = _EXTRA.search(requirement)
        if wanted is None or (extra and (name != "pinakes" or extra[1] not in _EXTRAS)):
            continue
        try:
            version = distribution(wanted[0]).version
        except PackageNotFoundError:
            continue
        if wanted[0].lower() not in found:
            found[wanted[0].lower()] = version
            _needed(wanted[0], found)
    return found


def _say(words: str) -> int:
    sys.stdout.write(f"{words}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
