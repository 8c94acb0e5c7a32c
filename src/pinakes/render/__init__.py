"""One shape for eyes, one for wires.

Records enter; text, plain data or a drawing leaves. Nothing here fetches, decides or counts.
"""

from pinakes.render.answers import (
    account_text,
    connections_text,
    corrections_text,
    diagnoses_text,
    files_text,
    folder_note_text,
    passage_text,
    reasons_text,
    report_text,
    results_text,
    status_text,
    upgrade_text,
)
from pinakes.render.components import components_text
from pinakes.render.picture import picture_svg
from pinakes.render.text import duration, one_line, safe
from pinakes.render.wire import Json, dumps, object_of, wire

__all__ = [
    "Json",
    "account_text",
    "components_text",
    "connections_text",
    "corrections_text",
    "diagnoses_text",
    "dumps",
    "duration",
    "files_text",
    "folder_note_text",
    "object_of",
    "one_line",
    "passage_text",
    "picture_svg",
    "reasons_text",
    "report_text",
    "results_text",
    "safe",
    "status_text",
    "upgrade_text",
    "wire",
]
