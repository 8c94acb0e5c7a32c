"""What a hit shows of boxes: their titles and their text, none of their marks."""

from __future__ import annotations

from pathlib import Path

from kits.trees import write_tree
from pinakes import open as open_library
from pinakes.render.readable import readable

PAGE = """# Harbour

/// note | High *tides*
    open: True
    type: warning

The tides rise over `///` here.

//// tip
Ships wait.
////
///

/// tab | :material-linux: Linux
apt tides
///

/// caption
Tides in May
///

> /// warning
> Quoted tides
> ///

/// Tides adds one to what is given.

See file:///etc/tides.

```rust
/// note
/// Tides in code.
///
```
"""


def test_the_marks_of_pymdown_boxes_are_not_shown(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "docs", {"a.md": PAGE})
    with open_library(folder) as library:
        library.sync()
        (hit,) = library.search("tides").hits
        shown = [line.strip() for line in readable(hit).text.splitlines() if line.strip()]
        assert library.read("a.md").text == PAGE  # as it stands, for whoever reads it
    assert shown == [
        "# Harbour",
        "High *tides*",
        "The tides rise over `///` here.",
        "tip",
        "Ships wait.",
        "Linux",
        "apt tides",
        "Tides in May",
        "> warning",
        "> Quoted tides",
        ">",
        "/// Tides adds one to what is given.",
        "See file:///etc/tides.",
        "```rust",
        "/// note",
        "/// Tides in code.",
        "///",
        "```",
    ]
