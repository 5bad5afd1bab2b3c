"""SQL statements of sync."""
