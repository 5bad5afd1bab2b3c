"""The table of the queue; the package jobs owns it."""
