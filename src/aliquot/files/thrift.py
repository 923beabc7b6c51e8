"""Values in Thrift's compact protocol, which Parquet keeps its footer and its page headers in."""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Any, Final

MAX_DEPTH: Final = 32

FAULTS: Final = (IndexError, KeyError, TypeError, ValueError, struct.error)
"""What bytes that are no such values, or a field that is not there, raise."""

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)


class Compact:
    """Reads values one after the other; whatever does not fit raises one of ``FAULTS``.

    Args:
        data: the bytes.

    Attributes:
        position: where the next value begins.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.position = 0

    def struct(self, depth: int = 0) -> dict[int, Any]:
        """Return field number → value."""
        if depth > MAX_DEPTH:
            raise ValueError
        fields: dict[int, Any] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._whole()
            kind = head & 0xF
            fields[number] = kind == _TRUE if kind in {_TRUE, _FALSE} else self._value(kind, depth)
        return fields

    def _byte(self) -> int:
        value = self.data[self.position]
        self.position += 1
        return value

    def _varint(self) -> int:
        value = shift = 0
        while shift < 70:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7
        raise ValueError

    def _whole(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)  # zigzag

    def _binary(self) -> bytes:
        length = self._varint()
        start, self.position = self.position, self.position + length
        if self.position > len(self.data):
            raise IndexError
        return self.data[start : self.position]

    def _double(self) -> float:
        start, self.position = self.position, self.position + 8
        return struct.unpack_from("<d", self.data, start)[0]

    def _value(self, kind: int, depth: int) -> Any:
        if kind == _STRUCT:
            return self.struct(depth + 1)
        if kind in {_LIST, _SET}:
            return self._values(depth + 1)
        readers: dict[int, Callable[[], Any]] = {
            _TRUE: self._byte, _FALSE: self._byte, _BYTE: self._byte, _I16: self._whole, _I32: self._whole,
            _I64: self._whole, _DOUBLE: self._double, _BINARY: self._binary,
        }  # fmt: skip
        return readers[kind]()

    def _values(self, depth: int) -> list[Any]:
        head = self._byte()
        count = head >> 4 if head >> 4 != 0xF else self._varint()
        if count > len(self.data) or depth > MAX_DEPTH:
            raise ValueError
        return [self._value(head & 0xF, depth) for _ in range(count)]
