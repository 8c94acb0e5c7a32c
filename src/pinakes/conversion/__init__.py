"""How does a file of another format become Markdown, whoever wrote it?

Bytes and the name of a converter enter; `MadeText` leaves. A converter runs in a process of its own with limits of time
and memory, without network, and without a way to write files or start programs: a file made to hurt it costs at most
that process. What the text means is settled in other rooms.
"""

from pinakes.conversion.guarded import USUAL_LIMITS, ConversionLimits, convert, end_idle_converters

__all__ = ["USUAL_LIMITS", "ConversionLimits", "convert", "end_idle_converters"]
