"""Numbered migrations; each is written once and never changed after it has landed."""
