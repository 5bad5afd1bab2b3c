"""The write path of memories: making, changing, relating, putting away, and their history."""
