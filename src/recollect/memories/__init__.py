"""The write path of memories: creation, changes, relations, archiving, erasure and history."""
