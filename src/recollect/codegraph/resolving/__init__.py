"""Name resolution, from facts to edges: the file of an import and the definition of a name."""
