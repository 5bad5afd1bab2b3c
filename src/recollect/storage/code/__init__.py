"""Tables of the code graph, its history and its chunks; the package codegraph owns them."""
