"""Shared domain types: frozen values and the error tree. Imports no other package."""
