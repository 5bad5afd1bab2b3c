"""Turning text into numbers: embedding it, and counting its tokens.

Each job here has a local implementation that needs no network, and importing this package loads
none of them. What needs a library imports it where it is used.
"""
