"""Nightly maintenance: adjusts confidence by use, archives faded memories, merges duplicates."""
