"""Hooks: memory inside the agents people use, a small process an event and one daemon a user."""
