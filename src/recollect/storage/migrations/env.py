"""Alembic's way in: it works on the connection and the transaction that it is handed."""

from alembic import context

from recollect.storage.schema import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata)
context.run_migrations()
