"""Recall: the retrieval pipeline. For now two legs, keywords and vectors, and their fusion."""
