"""The only room that knows a database: transactions, schema, migrations, full text, vectors."""
