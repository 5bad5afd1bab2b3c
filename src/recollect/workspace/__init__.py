"""What a team knows together: memos, conversations, topics, experts, gaps and suggestions."""
