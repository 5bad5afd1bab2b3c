"""The steps of the schema, in order."""
