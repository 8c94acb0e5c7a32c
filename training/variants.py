"""The variants that are tried; each that was run is a row of RESULTS.md."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from training.batches import Mix
from training.finetune import Tuning
from training.table import Distilling

_PLAIN = {"heading": 1.0, "sentence": 1.0, "link": 0.5}
_EVERY = {
    "heading": 1.0,
    "question": 0.7,
    "sentence": 0.6,
    "sentence-masked": 0.6,
    "link": 0.4,
    "link-masked": 0.2,
    "around": 0.6,
    "around-masked": 0.6,
    "summary": 0.4,
    "summary-masked": 0.4,
}
_MASKED = {**_EVERY, "sentence": 0.2, "sentence-masked": 1.2, "around": 0.4, "around-masked": 1.2, "heading": 0.5}

TUNINGS: Mapping[str, Tuning] = MappingProxyType(
    {
        "plain": Tuning(Mix(_PLAIN)),
        "every": Tuning(Mix(_EVERY)),
        "siblings": Tuning(Mix(_EVERY, siblings=0.5)),
        "masked": Tuning(Mix(_MASKED, siblings=0.25)),
        "faithful": Tuning(Mix(_EVERY, siblings=0.25), faithful=3.0),
        "long": Tuning(Mix(_MASKED, siblings=0.25), steps=1000, rate=3e-5),
        "large": Tuning(Mix(_MASKED, siblings=0.25), batch=3072, rate=4e-5),
    }
)
"""Ways to fine-tune the transformer."""

SHARES = (0.4, 0.5, 0.6)
"""Shares of the fine-tuned weights that are tried when averaging with the original."""

TABLES: Mapping[str, Distilling] = MappingProxyType(
    {
        "table": Distilling(Mix(_EVERY)),
        "table-siblings": Distilling(Mix(_EVERY, siblings=0.25), steps=1500),
        "table-wide": Distilling(Mix(_EVERY), width=384, widths=(384, 256)),
        "table-taught": Distilling(Mix(_EVERY), teacher=3.0),
        "table-told": Distilling(Mix(_EVERY), teacher=10.0),
        "table-gentle": Distilling(Mix(_EVERY), teacher=3.0, rate=3e-3, steps=800),
        "table-plain": Distilling(Mix(_PLAIN), teacher=3.0),
        "table-told-gentle": Distilling(Mix(_EVERY), teacher=10.0, rate=3e-3, steps=1000),
        "table-told-more": Distilling(Mix(_EVERY), teacher=10.0, taught=2048, steps=700),
        "table-told-wide": Distilling(Mix(_EVERY), teacher=10.0, width=384, widths=(384, 256)),
        "table-told-plain": Distilling(Mix(_PLAIN), teacher=10.0, rate=5e-3, steps=700),
    }
)
"""Ways to make the static table, all from the best transformer."""
