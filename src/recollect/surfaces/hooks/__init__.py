"""Agent hooks: a short process for each event of an agent, and one background daemon per user."""
