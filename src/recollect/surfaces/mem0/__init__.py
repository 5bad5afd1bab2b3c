"""mem0's own method names and result shapes, over the engine's verbs."""
