"""The search index: analyser, postings and BM25, vectors, and visibility masks."""
