"""Tests of the inference room. The static weights are real; servers are real ones on loopback."""
