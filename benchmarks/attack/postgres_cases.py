"""Attacks: postgres."""
