"""Surfaces: each turns a request into one engine verb and an error into one shape."""
