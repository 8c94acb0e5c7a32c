"""`llms.txt`: a line for each document by its owner's words, a file for each topic where there are many."""

from __future__ import annotations

import json
import re
from pathlib import Path

from kits.publish import files, publish
from kits.trees import write_tree
from pinakes.publish import PublishOptions

LIGHT = PublishOptions(has_pages=False, has_full_text=False)


def test_a_document_is_said_to_be_about_what_its_frontmatter_describes(tmp_path: Path) -> None:
    root = write_tree(
        tmp_path / "docs",
        {
            "README.md": "# Lamps\n\nAll about lamps.\n",
            "guide/oil.md": '---\ndescription: "How to fill [it] with <b>oil</b>."\n---\n# Oil\n\nWhale oil.\n',
        },
    )
    publish(root, tmp_path / "out", LIGHT)
    listed = (tmp_path / "out" / "llms.txt").read_text()
    assert r"- [Oil](guide/oil.md): How to fill \[it\] with \<b\>oil\</b\>." in listed
    assert "llms-full" not in listed
    assert list(files(tmp_path / "out")).count("guide/llms.txt") == 0


def test_where_there_are_many_documents_each_topic_has_its_own_list(tmp_path: Path) -> None:
    pages = {f"part{number % 3}/page{number}.md": f"# Page {number}\n\nText.\n" for number in range(201)}
    mine = {"part2/llms.txt": "Mine.\n", "README.md": "# All\n"}
    root, out = write_tree(tmp_path / "docs", {**pages, **mine}), tmp_path / "out"
    publish(root, out, LIGHT)
    top = (out / "llms.txt").read_text()
    assert re.findall(r"- \[(.*?)\]\((.*?)\): (\d+) documents", top) == [
        ("part0", "part0/llms.txt", "67"),
        ("part1", "part1/llms.txt", "67"),
        ("part2", "part2/llms.txt", "68"),
    ]
    assert "page1.md" not in top
    assert "- [All](README.md)" in top
    assert (out / "part0/llms.txt").read_text().count("](page") == 67
    assert (out / "part2/llms.txt").read_text() == "Mine.\n"
    write_tree(root, {"part0/page0.md": "---\ndescription: Anew.\n---\n# Page 0\n\nText.\n"})
    written = publish(root, out, LIGHT).written
    assert "part0/llms.txt" in written
    assert not {"llms.txt", "part1/llms.txt"} & set(written)
    assert json.loads((out / "index.json").read_bytes())["_links"]["llms"]["href"] == "llms.txt"
