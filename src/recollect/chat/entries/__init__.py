"""A person's control of their entries: keep, forget, undo, share, and the log of it."""
