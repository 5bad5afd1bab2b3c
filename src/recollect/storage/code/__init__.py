"""Tables of the code graph, its history and its chunks, for the package codegraph."""
