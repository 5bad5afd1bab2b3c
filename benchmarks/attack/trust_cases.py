"""Attacks: trust."""
