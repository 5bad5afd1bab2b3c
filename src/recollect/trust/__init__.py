"""Who may see and do what; what may be kept at all."""
