"""Tables of memories, their relations, entries and tombstones; the package memories owns them."""
