"""Attacks on the product, each through the surface where it was first seen, on both stores."""
