"""Context: what an agent is told, when, and within which budget."""
