"""Numbered schema migrations; each is written once and never changed after it was released."""
