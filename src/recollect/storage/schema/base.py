"""Shared declarations of tables: the metadata, and foreign keys within a space."""

from sqlalchemy import ForeignKeyConstraint, MetaData

metadata = MetaData()


def within(table: str, *columns: str) -> ForeignKeyConstraint:
    """A foreign key to another table of the same space, with ON DELETE CASCADE."""
    own = ["space_id", *(column.split("=")[0] for column in columns)]
    theirs = [f"{table}.space_id", *(f"{table}.{column.split('=')[-1]}" for column in columns)]
    return ForeignKeyConstraint(own, theirs, ondelete="CASCADE")
