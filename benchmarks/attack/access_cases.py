"""Attacks: access."""
