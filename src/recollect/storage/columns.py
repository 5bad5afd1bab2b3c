"""Column types with the same meaning in every database: text, time, JSON document, vector."""

import json
from collections.abc import Callable, Mapping
from datetime import datetime
from functools import lru_cache
from typing import Any, ClassVar, Final

from sqlalchemy import BigInteger, Dialect, LargeBinary, Text
from sqlalchemy.types import TypeDecorator, TypeEngine, UserDefinedType

from recollect.vocabulary.clock import from_microseconds, to_microseconds
from recollect.vocabulary.json_depth import read_document

#: Text sorted by code points, whatever the database's locale is.
PlainText: Final = Text().with_variant(Text(collation="C"), "postgresql")


#: JSON as it is stored: compact, with readable Unicode.
dump: Final[Callable[[Mapping[str, Any]], str]] = json.JSONEncoder(
    ensure_ascii=False, separators=(",", ":"), sort_keys=True
).encode


class Instant(TypeDecorator[datetime]):
    """An aware time, stored as whole microseconds since 1970."""

    impl = BigInteger
    cache_ok = True
    #: What converts a value that is not null; a prepared statement calls them straight. A memory's
    #: times are often one, and are read with each of its recalls.
    to_stored = staticmethod(to_microseconds)
    from_stored = staticmethod(lru_cache(8_192)(from_microseconds))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> int | None:
        """Time to number."""
        return None if value is None else to_microseconds(value)

    def process_result_value(self, value: int | None, dialect: Dialect) -> datetime | None:
        """Number to time."""
        return None if value is None else self.from_stored(value)


class Document(TypeDecorator[Mapping[str, Any]]):
    """A JSON object, stored as text; an empty one is stored as null."""

    impl = Text
    cache_ok = True
    #: What a null stands for.
    empty: ClassVar[type[dict[str, Any]]] = dict

    def process_bind_param(self, value: Mapping[str, Any] | None, dialect: Dialect) -> str | None:
        """Object to text."""
        return dump(value) if value else None

    def process_result_value(self, value: str | None, dialect: Dialect) -> Mapping[str, Any]:
        """Text to object."""
        found: Mapping[str, Any] = read_document(value) if value else {}
        return found


class _HalfVector(UserDefinedType[bytes]):
    """pgvector's halfvec type; the number of dimensions depends on the row's model."""

    cache_ok = True

    def get_col_spec(self, **_: Any) -> str:
        """The type's name in SQL."""
        return "halfvec"


class HalfVectors(TypeDecorator[bytes]):
    """Half-precision vectors, stored as bytes or in pgvector's type."""

    impl = LargeBinary
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Bytes everywhere but on PostgreSQL."""
        kept = _HalfVector() if dialect.name == "postgresql" else LargeBinary()
        return dialect.type_descriptor(kept)
