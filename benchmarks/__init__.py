"""Benchmarks: each a ratio against a bare baseline, taken in turns in one process.

Absolute times say more about the machine than about the program; ratios travel. ``python -m
benchmarks`` prints them all, ``python -m benchmarks.crash`` kills writers and looks for losses.
"""
