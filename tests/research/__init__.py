"""Research: questions, evidence, extraction, and what a model may say."""
