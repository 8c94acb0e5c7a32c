"""Finds the lines that a regular expression matches: a program of its own, which can be ended.

Lines of JSON enter on the standard input: the expression, then a file each. Lines of JSON leave: what is wrong with the
expression or nothing, then every file that has matches. A regular expression can take longer than anybody lives, and
nothing but the end of its process stops it. Nothing of Pinakes is imported here, so that it starts at once.
"""

from __future__ import annotations

import json
import re
import sys

LONGEST_LINE = 300
"""Letters of a line that are shown."""
MOST_IN_FILE = 100


def found_in(pattern: re.Pattern[str], text: str) -> list[tuple[int, str]]:
    """The lines that match, counted from 1, with so much of them that the match is seen."""
    found: list[tuple[int, str]] = []
    for number, line in enumerate(text.split("\n"), 1):
        if match := pattern.search(line):
            found.append((number, shown(line, match.start())))
            if len(found) == MOST_IN_FILE:
                break
    return found


def shown(line: str, at: int) -> str:
    """So much of a line that what begins there is seen."""
    start = max(at - LONGEST_LINE // 3, 0)
    return line[start : start + LONGEST_LINE].rstrip("\r")


def main() -> None:
    """Answer until the standard input ends."""
    asked = json.loads(sys.stdin.readline())
    try:
        pattern = re.compile(asked["pattern"], 0 if asked["case"] else re.IGNORECASE)
    except (re.error, RecursionError, OverflowError, MemoryError) as error:
        sys.stdout.write(json.dumps({"error": str(error) or "it is too large"}) + "\n")
        return
    sys.stdout.write(json.dumps({"error": ""}) + "\n")
    for line in sys.stdin:
        file = json.loads(line)
        sys.stdout.write(json.dumps({"path": file["path"], "lines": found_in(pattern, file["text"])}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
