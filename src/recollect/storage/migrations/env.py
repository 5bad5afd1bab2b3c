"""Alembic's entry point: it runs on the connection and transaction it is given."""

from alembic import context

from recollect.storage.schema import metadata

connection = context.config.attributes["connection"]
context.configure(connection=connection, target_metadata=metadata)
context.run_migrations()
