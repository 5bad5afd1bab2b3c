"""The only package that uses a database: transactions, schema, migrations, full text, vectors."""
