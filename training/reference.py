"""Vectors of a few texts by the fine-tuned weights in float, as torch computes them.

    python -m training.reference TRANSFORMER tests/neural/docs_reference.json

A model's folder enters, a file leaves that the tests hold the model of the package against, so that they need no torch.
To be made again with every change of the weights.
"""

from __future__ import annotations

import base64
import json
import sys
from pathlib import Path

import torch
import torch.nn.functional as F
from transformers import AutoModel, AutoTokenizer

from training.encoder import takes_first

LONGEST = 256
TEXTS = (
    "How do I rotate an access token?",
    "Tokens expire after ninety days. To replace one before that, open the settings and choose Renew.",
    "tides",
    "max_retries = 3  # how often a request is repeated",
    "Installation › Linux\n\nUnpack the archive, put the program on your path and run it once to write its settings.",
    "What happens to open connections when the server is restarted?",
    "The scheduler waits until every job has ended, then closes its queue. " * 12,
    "| option | default |\n|---|---|\n| `--depth` | 3 |\n| `--json` | off |",
    "Как обновить индекс",
    "Changing the password of somebody else's account",
    "How administrators reset another user's login credentials",
    "Sorting the rows of a table by one of its columns",
)


def main(transformer: Path, to: Path) -> None:
    """Write the file."""
    tokenizer = AutoTokenizer.from_pretrained(str(transformer))
    model = AutoModel.from_pretrained(str(transformer)).float().eval()
    is_first = takes_first(transformer)
    rows = []
    with torch.no_grad():
        for text in TEXTS:
            given = tokenizer(text, truncation=True, max_length=LONGEST, return_tensors="pt")
            hidden = model(**given).last_hidden_state[0]
            rows.append(F.normalize(hidden[0] if is_first else hidden.mean(0), dim=0))
    packed = base64.b64encode(torch.stack(rows).half().numpy().tobytes()).decode()
    to.write_text(json.dumps({"texts": TEXTS, "vectors": packed}, ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
