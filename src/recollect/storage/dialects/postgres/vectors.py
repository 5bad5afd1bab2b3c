"""Conversion of half-precision vectors between our bytes and pgvector's binary ``halfvec``.

Ours are little-endian numbers. The binary form is two 16-bit counts (dimensions, zero) and then the
numbers, all big-endian.
"""

import struct
from typing import Any, Final

import numpy as np
from psycopg.adapt import Dumper, Loader
from psycopg.pq import Format
from psycopg.types import TypeInfo

_HEAD: Final = struct.Struct(">HH")


class HalfVector(bytes):
    """Little-endian half-precision numbers to be stored as a ``halfvec``."""


class _HalfVectorDumper(Dumper):
    format = Format.BINARY

    def dump(self, obj: HalfVector) -> bytes:
        return _HEAD.pack(len(obj) // 2, 0) + np.frombuffer(obj, "<f2").astype(">f2").tobytes()


class _TextLoader(Loader):
    format = Format.TEXT

    def load(self, data: Any) -> bytes:
        return np.fromstring(bytes(data)[1:-1].decode(), "<f2", sep=",").tobytes()


class _BinaryLoader(Loader):
    format = Format.BINARY

    def load(self, data: Any) -> bytes:
        return np.frombuffer(data, ">f2", offset=_HEAD.size).astype("<f2").tobytes()


def register_vectors(connection: Any) -> None:
    """Register the type on a new connection, if the database has it already."""
    info = TypeInfo.fetch(connection, "halfvec")
    if info is None:
        return
    info.register(connection)
    dumper = type("HalfVectorDumper", (_HalfVectorDumper,), {"oid": info.oid})
    connection.adapters.register_dumper(HalfVector, dumper)
    connection.adapters.register_loader(info.oid, _TextLoader)
    connection.adapters.register_loader(info.oid, _BinaryLoader)
