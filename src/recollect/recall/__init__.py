"""Recall: the retrieval pipeline, a chain of named steps over one list of candidates."""
