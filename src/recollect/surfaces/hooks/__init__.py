"""Hooks: the memory inside the agents people use, one small process an event and one daemon a user."""
