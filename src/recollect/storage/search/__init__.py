"""Tables that search reads: index places, vectors, sessions, the retrieval log."""
