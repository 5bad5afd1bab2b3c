"""Detection of contradictions: whether two memories can both hold."""
