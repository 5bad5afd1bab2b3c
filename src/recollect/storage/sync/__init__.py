"""Statements of sync."""
