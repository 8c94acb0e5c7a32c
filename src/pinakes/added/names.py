"""What added documents and their projects are called."""

from __future__ import annotations

import re
from hashlib import sha256

from pinakes.errors import BadAddress
from pinakes.records.added import Origin
from pinakes.slugs import slug

DEFAULT = "default"
_PROJECT = re.compile(r"[a-z0-9][a-z0-9-]{0,63}\Z")
_LETTERS = 12


def project_name(text: str) -> str:
    """The project as given, if it can be one; raises `BadAddress` with one that could."""
    if _PROJECT.match(text):
        return text
    problem = f"“{text[:100]}” cannot be a project: it takes 1 to 64 small letters, digits and hyphens."
    raise BadAddress(problem, project_advice(text))


def project_advice(text: str) -> str:
    """What to write instead of a text that cannot be a project."""
    near = re.sub(r"[^a-z0-9-]+", "-", slug(text[:200])).strip("-")[:64]
    return f"Try {near}." if _PROJECT.match(near) else "Use small letters, digits and hyphens, such as api-v2."


def identity(project: str, origin: Origin, source: str) -> str:
    """A document's id: short, and the same wherever the same source is added to the same project."""
    named = "\0".join((project, origin.value, source)).encode("utf-8", "surrogateescape")
    return sha256(named).hexdigest()[:_LETTERS]
