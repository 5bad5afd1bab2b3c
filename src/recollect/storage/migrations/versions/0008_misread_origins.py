"""Requests that events withheld by mistake be restored to search; no table changes.

Until now any ``origin`` in an event's payload, also "user" and "repository", counted as outside
text, and such events were kept out of search if they read like instructions. Restoring them needs
the current rule and the index, which a migration does not have: the next opening of the store does
it (``memories/misread_origins.py``) and records how many there were. A new store has none.
"""

from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.execute(
        "INSERT INTO store_facts (name, value) SELECT 'misread_origins', 'pending' "
        "WHERE EXISTS (SELECT 1 FROM store_facts WHERE name = 'analyser_version')"
    )
