"""Descriptions of HTTP interfaces (OpenAPI, Swagger) become documents: a section for each operation and schema.

JSON or YAML enters, a `Document` leaves. A reference in the file is a link, and its JSON pointer leads to the section
that was made of what it names: ``api.yaml#/components/schemas/Pet``. Nothing is fetched or included.
"""

from __future__ import annotations

from msgspec import DecodeError
from msgspec import json as fast_json

from pinakes.parse.converted import converted
from pinakes.parse.decode import decode
from pinakes.parse.fields import BadFields, yaml_fields
from pinakes.parse.openapi.pages import written
from pinakes.records import Document, Raw
from pinakes.records.made_text import MadeText

_MOST_YAML = 3_000_000
"""Bytes; YAML takes a second for each million."""
_MOST_VALUES = 500_000


def parse_openapi(raw: Raw) -> Document:
    """Read the description of an interface. A file that is none has no text and says so."""
    decoded = decode(raw.data)
    text = decoded.text
    try:
        is_json = text.lstrip()[:1] == "{"
        held = fast_json.decode(text) if is_json else _from_yaml(text)
        made = written(held)
    except (DecodeError, BadFields, RecursionError) as error:
        why = "it is nested too deeply" if isinstance(error, RecursionError) else str(error)
        made = MadeText("", warnings=(f"The file is no description of an interface that can be read: {why}.",))
    return converted(raw, MadeText(made.text, made.places, made.warnings + decoded.warnings, made.title))


def _from_yaml(text: str) -> object:
    if len(text) > _MOST_YAML:
        raise BadFields(f"it is YAML of more than {_MOST_YAML:,} characters; as JSON it would be read")
    return yaml_fields(text, most=_MOST_VALUES)
