"""Tables of memories, their relations, entries and tombstones, for the package memories."""
