"""Attacks: input."""
