"""Code as a graph: parsing, chunks, edges, impact, watching, the module map."""
