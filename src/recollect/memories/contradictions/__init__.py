"""Whether two memories can hold side by side, and what is done when they cannot."""
