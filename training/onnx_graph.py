"""ONNX files, written by hand: the handful of protocol buffer messages that a model without training needs.

Nodes and arrays enter, the bytes of a model leave; of such bytes the arrays can be read again. The `onnx` package does
this too; it weighs 9 MB and brings along two more, and the format of these messages has not changed since 2017.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

MICROSOFT = "com.microsoft"
"""The domain of onnxruntime's own operators, which do several steps in one."""
_IR_VERSION = 8
_OPSETS = {"": 17, MICROSOFT: 1}
_FLOAT, _INT, _INTS = 1, 2, 7
_KINDS = {"float32": 1, "uint8": 2, "int8": 3, "int64": 7}
_OURS = b"pinakes"
"""The name of a graph that was written here."""


@dataclass(slots=True)
class Graph:
    """A model under construction; names of values are given by whoever adds them."""

    nodes: list[bytes] = field(default_factory=list)
    arrays: list[bytes] = field(default_factory=list)

    def array(self, name: str, values: NDArray[np.generic]) -> str:
        """Keep an array in the model; returns its name."""
        dims = b"".join(_number(1, size) for size in values.shape)
        kind = _number(2, _KINDS[values.dtype.name])
        self.arrays.append(dims + kind + _bytes(8, name.encode()) + _bytes(9, np.ascontiguousarray(values).tobytes()))
        return name

    def node(
        self,
        operator: str,
        inputs: Sequence[str],
        outputs: Sequence[str],
        domain: str = "",
        settings: Mapping[str, int | float | Sequence[int]] | None = None,
    ) -> str:
        """Add a step; returns the name of its first output. An empty input is one that is left out."""
        message = b"".join(_bytes(1, name.encode()) for name in inputs)
        message += b"".join(_bytes(2, name.encode()) for name in outputs)
        message += _bytes(4, operator.encode())
        message += b"".join(_bytes(5, _attribute(name, value)) for name, value in (settings or {}).items())
        self.nodes.append(message + _bytes(7, domain.encode()))
        return outputs[0]

    def model(self, inputs: Mapping[str, tuple[str, int]], outputs: Mapping[str, tuple[str, int]]) -> bytes:
        """The file. `inputs` and `outputs` give each value's kind of number and how many dimensions it has."""
        graph = b"".join(_bytes(1, node) for node in self.nodes) + _bytes(2, _OURS)
        graph += b"".join(_bytes(5, array) for array in self.arrays)
        graph += b"".join(_bytes(11, _value(name, *shape)) for name, shape in inputs.items())
        graph += b"".join(_bytes(12, _value(name, *shape)) for name, shape in outputs.items())
        versions = (_bytes(1, domain.encode()) + _number(2, version) for domain, version in _OPSETS.items())
        return _number(1, _IR_VERSION) + _bytes(7, graph) + b"".join(_bytes(8, version) for version in versions)


def is_ours(model: bytes) -> bool:
    """Whether the file was written here."""
    try:
        graph = dict(_fields(model)).get(7)
        return isinstance(graph, bytes) and dict(_fields(graph)).get(2) == _OURS
    except ValueError:
        return False


def arrays_of(model: bytes) -> dict[str, NDArray[np.generic]]:
    """The arrays of a file that was written here, by name; raises `ValueError` when it is cut short."""
    (graph,) = (value for number, value in _fields(model) if number == 7)
    assert isinstance(graph, bytes)
    return dict(_array(value) for number, value in _fields(graph) if number == 5 and isinstance(value, bytes))


def _array(message: bytes) -> tuple[str, NDArray[np.generic]]:
    shape, kind, name, data = [], 0, "", b""
    for number, value in _fields(message):
        if isinstance(value, bytes):
            name, data = (value.decode(), data) if number == 8 else (name, value)
        elif number == 1:
            shape.append(value)
        else:
            kind = value
    (of,) = (spelled for spelled, number in _KINDS.items() if number == kind)
    return name, np.frombuffer(data, of).reshape(shape)


def _fields(message: bytes) -> Iterator[tuple[int, int | bytes]]:
    """The numbers and messages in a message, each with its number."""
    at = 0
    while at < len(message):
        key, at = _read_varint(message, at)
        value, at = _read_varint(message, at)
        if key & 7 == 0:
            yield key >> 3, value
        elif key & 7 == 2 and at + value <= len(message):
            yield key >> 3, message[at : at + value]
            at += value
        else:
            raise ValueError("it is cut short, or holds what is not written here")


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message):
        byte = message[at]
        at += 1
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            return value, at
    raise ValueError("it is cut short")


def _attribute(name: str, value: int | float | Sequence[int]) -> bytes:
    start = _bytes(1, name.encode())
    if isinstance(value, int):
        return start + _number(3, value) + _number(20, _INT)
    if isinstance(value, float):
        return start + _varint(2 << 3 | 5) + struct.pack("<f", value) + _number(20, _FLOAT)
    return start + b"".join(_number(8, one) for one in value) + _number(20, _INTS)


def _value(name: str, kind: str, dimensions: int) -> bytes:
    """A value whose sizes are open: each dimension is a name of its own."""
    shape = b"".join(_bytes(1, _bytes(2, f"{name}_{axis}".encode())) for axis in range(dimensions))
    tensor = _number(1, _KINDS[kind]) + _bytes(2, shape)
    return _bytes(1, name.encode()) + _bytes(2, _bytes(1, tensor))


def _number(field_number: int, value: int) -> bytes:
    return _varint(field_number << 3) + _varint(value)


def _bytes(field_number: int, value: bytes) -> bytes:
    return _varint(field_number << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    parts = bytearray()
    while value > 0x7F:
        parts.append(value & 0x7F | 0x80)
        value >>= 7
    parts.append(value)
    return bytes(parts)
