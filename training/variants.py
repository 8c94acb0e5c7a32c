"""The variants that are tried; each that was run is a row of RESULTS.md."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from training.batches import Mix
from training.finetune import Tuning
from training.rereading import Rereading
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
_ASKED = {**_MASKED, "written": 2.5, "hurried": 1.0}
"""Two thirds of what documentation itself says, one third of what people asked."""
_ASKED_MORE = {**_MASKED, "written": 6.0, "hurried": 2.5}
_ASKED_ONLY = {"written": 2.0, "hurried": 1.0}

TUNINGS: Mapping[str, Tuning] = MappingProxyType(
    {
        "plain": Tuning(Mix(_PLAIN)),
        "every": Tuning(Mix(_EVERY)),
        "siblings": Tuning(Mix(_EVERY, siblings=0.5)),
        "masked": Tuning(Mix(_MASKED, siblings=0.25)),
        "faithful": Tuning(Mix(_EVERY, siblings=0.25), faithful=3.0),
        "long": Tuning(Mix(_MASKED, siblings=0.25), steps=1000, rate=3e-5),
        "large": Tuning(Mix(_MASKED, siblings=0.25), batch=3072, rate=4e-5),
        "large-every": Tuning(Mix(_EVERY, siblings=0.25), batch=3072, rate=4e-5, seeds=(1,)),
        "large-sharp": Tuning(Mix(_MASKED, siblings=0.5), batch=3072, rate=4e-5, temperature=0.035, seeds=(2,)),
        "asked": Tuning(Mix(_ASKED), batch=768, rate=1e-4, temperature=0.02),
        "asked-more": Tuning(Mix(_ASKED_MORE), batch=768, rate=1e-4, temperature=0.02),
        "asked-large": Tuning(Mix(_ASKED), batch=2048, rate=1e-4, temperature=0.02),
        "asked-warm": Tuning(Mix(_ASKED), batch=768, rate=1e-4, temperature=0.03),
        "asked-faithful": Tuning(Mix(_ASKED), batch=768, rate=1e-4, temperature=0.02, faithful=3.0),
        "asked-listed": Tuning(Mix(_ASKED), batch=768, rate=1e-4, temperature=0.02, listed=1.0),
        "asked-listed-strong": Tuning(Mix(_ASKED), batch=768, rate=1e-4, temperature=0.02, listed=3.0, seeds=(0, 1)),
        "asked-listed-wide": Tuning(
            Mix(_ASKED), steps=500, batch=768, rate=1e-4, temperature=0.02, listed=4.0, misses=10, seeds=(0, 1)
        ),
    }
)
"""Ways to fine-tune the transformer."""

RERANKERS: Mapping[str, Rereading] = MappingProxyType(
    {
        "rerank": Rereading(),
        "rerank-alone": Rereading(by_itself=0.2, seed=1),
        "rerank-two": Rereading(layers=2, pieces=14_000),
        "rerank-four": Rereading(layers=4),
    }
)
"""Ways to make the small cross-encoder."""

SHARES = (0.65, 0.72, 0.8)
"""Shares of the fine-tuned weights that are tried when averaging with the original."""

WORDS = 4_000
"""Words of documentation that get rows of their own in a table."""

TABLES: Mapping[str, Distilling] = MappingProxyType(
    {
        "told": Distilling(Mix(_EVERY)),
        "told-only": Distilling(Mix(_EVERY), contrast=0.0),
        "told-dropped": Distilling(Mix(_EVERY), dropped=0.2),
        "told-among": Distilling(Mix(_EVERY), among=5.0),
        "told-towards": Distilling(Mix(_EVERY), towards=20.0),
        "told-longer": Distilling(Mix(_EVERY), rate=1e-3, steps=3000),
        "told-large": Distilling(Mix(_EVERY), batch=12_288),
        "told-warm": Distilling(Mix(_EVERY), temperature=0.08),
        "told-all": Distilling(Mix(_EVERY), among=5.0, towards=20.0, dropped=0.2, steps=2000),
        "told-wide": Distilling(Mix(_EVERY), width=384),
        "dropped-more": Distilling(Mix(_EVERY), dropped=0.4),
        "dropped-most": Distilling(Mix(_EVERY), dropped=0.6),
        "dropped-brief": Distilling(Mix(_EVERY), dropped=0.4, steps=400),
        "dropped-briefer": Distilling(Mix(_EVERY), dropped=0.3, steps=250),
        "dropped-brief-back": Distilling(Mix(_EVERY), dropped=0.4, steps=400, drawn_back=0.005),
        "dropped-back": Distilling(Mix(_EVERY), dropped=0.3, drawn_back=0.003),
        "dropped-back-more": Distilling(Mix(_EVERY), dropped=0.4, drawn_back=0.01),
        "dropped-pairs": Distilling(Mix(_EVERY), dropped=0.4, contrast=3.0),
        "dropped-equal": Distilling(Mix(_EVERY), dropped=0.4, contrast=3.0, teacher=3.0),
        "dropped-long": Distilling(Mix(_EVERY), dropped=0.5, steps=3000),
        "shaped": Distilling(Mix(_EVERY), shaped=500, steps=1, rate=3e-3),
        "shaped-dropped": Distilling(Mix(_EVERY), shaped=500, dropped=0.4),
        "shaped-back": Distilling(Mix(_EVERY), shaped=500, dropped=0.4, drawn_back=0.003),
        "shaped-small": Distilling(Mix(_EVERY), shaped=500, dropped=0.4, batch=1024, drawn_back=0.003),
        "asked-table": Distilling(Mix(_ASKED), dropped=0.3, steps=250, told=0.02),
        "asked-table-brief": Distilling(Mix(_ASKED), dropped=0.4, steps=400, told=0.02),
        "asked-table-long": Distilling(Mix(_ASKED), dropped=0.4, steps=1000, told=0.02),
        "asked-table-warm": Distilling(Mix(_ASKED), dropped=0.3, steps=400, told=0.03),
        "asked-table-warmer": Distilling(Mix(_ASKED), dropped=0.3, steps=250, told=0.04),
        "asked-table-shaped": Distilling(Mix(_ASKED), dropped=0.3, shaped=300, steps=300, told=0.03),
        "asked-table-large": Distilling(Mix(_ASKED), batch=8192, dropped=0.4, steps=400, told=0.03),
        "asked-table-told": Distilling(Mix(_ASKED), dropped=0.4, steps=400, told=0.03, contrast=0.3, among=3.0),
        "asked-table-pairs": Distilling(Mix(_ASKED), dropped=0.4, steps=400, told=0.02, contrast=5.0),
        "asked-table-most": Distilling(Mix(_ASKED_MORE), dropped=0.4, steps=400, told=0.02),
        "asked-table-back": Distilling(Mix(_ASKED), dropped=0.3, told=0.02, drawn_back=0.003),
        "asked-table-near": Distilling(Mix(_ASKED), dropped=0.3, steps=400, told=0.03, listed=1.0),
        "asked-table-near-more": Distilling(Mix(_ASKED), dropped=0.3, steps=400, told=0.03, listed=4.0),
        "asked-table-near-longer": Distilling(Mix(_ASKED), dropped=0.4, steps=800, told=0.03, listed=2.0),
        "dropped-small": Distilling(Mix(_EVERY), dropped=0.4, batch=1024, steps=2000),
    }
)
"""Ways to make the static table, all from one transformer."""

SHIPPED = ("asked", "asked-listed-strong", "asked-table-warm", "rerank")
"""How the models of the package were made."""
EVERY_VARIANT = "all"
