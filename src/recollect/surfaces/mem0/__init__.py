"""mem0-compatible API: mem0's method names and result formats on top of the engine."""
