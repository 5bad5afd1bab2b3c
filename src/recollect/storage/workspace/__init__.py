"""Statements of the workspace: memos by the events they point at, topics, who answered whom."""
