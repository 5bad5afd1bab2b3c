"""PostgreSQL 15 or newer with pgvector: one memory for many machines."""

from recollect.storage.dialects.postgres.dialect import PostgresDialect

__all__ = ["PostgresDialect"]
