"""Shared knowledge of a team: memos, conversations, topics, experts, gaps and suggestions."""
