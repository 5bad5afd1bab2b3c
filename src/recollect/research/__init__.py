"""Answers with citations: a question is planned, searched for, reflected on and answered."""
