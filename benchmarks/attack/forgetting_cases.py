"""Attacks: forgetting."""
