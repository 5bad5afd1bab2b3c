"""What makes things findable: analyser, postings and BM25, vectors, what a viewer may see."""
