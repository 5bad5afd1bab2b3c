"""SQL statements of the workspace: memos by the events they cite, topics, who answered whom."""
