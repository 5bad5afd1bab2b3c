"""Attacks: secret."""
