"""Rows of the research log, beside the log of questions."""
