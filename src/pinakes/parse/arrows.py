"""Which boxes of a drawing an arrow joins, so far as the program that drew it says.

Groups, their names and their labels enter in reading order; pairs of labels leave. Graphviz titles a node ``a`` and an
edge ``a->b``; mermaid gives them the ids ``flowchart-a-12`` and ``L-a-b`` or ``L_a_b_0``.
"""

from __future__ import annotations

import re

_GRAPHVIZ_EDGE = re.compile(r"(.{1,200}?)\s?-[->]\s?(.{1,200})\Z", re.DOTALL)
_MERMAID_NODE = re.compile(r"(?:.{0,80}-)?flowchart-(.{1,100})-\d+\Z")
_MERMAID_EDGE = re.compile(r"(?:.{0,80}-)?L([-_])(.{1,200})\Z")
_MOST = 2000


class Arrows:
    """The nodes and edges of one drawing."""

    def __init__(self) -> None:
        self._names: list[str] = []
        """Of the open groups that may be a node, innermost last; empty until it is known."""
        self._labels: dict[str, str] = {}
        """By a node's name, what is written in it."""
        self._edges: list[tuple[str, str]] = []
        self._mermaid: dict[str, str] = {}

    @property
    def is_open(self) -> bool:
        """Whether a title that begins now names a node or an edge."""
        return bool(self._names)

    def begin(self, element: str, attributes: dict[str, str]) -> bool:
        """Whether this element is a node or an edge; then `end` must be called for it."""
        kinds = attributes.get("class", "").split()
        identity = attributes.get("id", "")
        if (edge := _MERMAID_EDGE.match(identity)) and len(self._mermaid) < _MOST:
            self._mermaid.setdefault(edge[2], edge[1])
        if element != "g" or not ("node" in kinds or "edge" in kinds):
            return False
        node = _MERMAID_NODE.match(identity)
        self._names.append(node[1] if node else "")
        return True

    def end(self) -> None:
        self._names.pop()

    def name(self, title: str) -> None:
        """The innermost open group has a title."""
        if self._names and not self._names[-1]:
            edge = _GRAPHVIZ_EDGE.match(title)
            if edge is None:
                self._names[-1] = title
            elif len(self._edges) < _MOST:
                self._edges.append((_without_port(edge[1]), _without_port(edge[2])))

    def label(self, text: str) -> None:
        """Something is written in the innermost open group."""
        if self._names and self._names[-1]:
            self._labels.setdefault(self._names[-1], text)

    def pairs(self) -> list[tuple[str, str]]:
        """What is written in the two nodes that an arrow joins, each pair once; a node without a label by its name."""
        edges = [*self._edges, *(pair for text, sign in self._mermaid.items() if (pair := self._parted(text, sign)))]
        return list(dict.fromkeys((self._labels.get(a, a), self._labels.get(b, b)) for a, b in edges))

    def _parted(self, text: str, sign: str) -> tuple[str, str] | None:
        """The two nodes in an id: names may hold the sign that parts them, so they must be known."""
        parts = text.split(sign)
        for last in (len(parts), len(parts) - 1):  # newer versions number their edges
            for cut in range(1, min(last, 20)):
                pair = sign.join(parts[:cut]), sign.join(parts[cut:last])
                if pair[0] in self._labels and pair[1] in self._labels:
                    return pair
        return None


def _without_port(name: str) -> str:
    """``a`` for ``a:f0``: a place at the node, not another node."""
    return name.partition(":")[0] or name
