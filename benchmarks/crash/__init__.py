"""Campaigns that try to lose something: a crowd of writers on one store, and writers killed.

What is lost was acknowledged and is not there. What is torn is there by half, or disagrees with
itself. What is locked is a writer or reader that was told the store is busy.
"""
