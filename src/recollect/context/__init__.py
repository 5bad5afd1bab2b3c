"""Context: selects the memories an agent is given, at which point and within which budget."""
