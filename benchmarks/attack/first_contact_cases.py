"""Attacks: first_contact."""
