"""Inference: embedders, rerankers, language models, and token counting.

Each task here has a local implementation that needs no network, and importing this package loads
none of them. A library is imported where it is used.
"""
