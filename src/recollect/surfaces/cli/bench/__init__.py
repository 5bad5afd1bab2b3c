"""Benchmarks of recall: public data sets imported into a real store, asked by the public verbs."""
