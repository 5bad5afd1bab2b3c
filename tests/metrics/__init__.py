"""Tests of metrics, experiments and weights."""
