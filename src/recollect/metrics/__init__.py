"""Metrics of the value of memory: tracked figures, experiments, and learned ranking weights."""
