"""Tables that search reads: places in the index, vectors, sessions, the log of what was served."""
