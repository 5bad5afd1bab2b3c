"""What every table is declared with: the one list of tables, and the key into another of them."""

from sqlalchemy import ForeignKeyConstraint, MetaData

metadata = MetaData()


def within(table: str, *columns: str) -> ForeignKeyConstraint:
    """A key into another table of the same space; what it points at takes it along when it goes."""
    own = ["space_id", *(column.split("=")[0] for column in columns)]
    theirs = [f"{table}.space_id", *(f"{table}.{column.split('=')[-1]}" for column in columns)]
    return ForeignKeyConstraint(own, theirs, ondelete="CASCADE")
