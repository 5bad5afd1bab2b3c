"""SQL statements of personal memory: settings and shared tags of a person, and the audit log."""
