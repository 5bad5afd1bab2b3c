"""Hooks: real processes, real JSON, a real daemon."""
