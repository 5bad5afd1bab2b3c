"""Answers from a person's entries and messages, with their date and source."""
