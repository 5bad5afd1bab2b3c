"""What agents do becomes what is worth remembering: signals, scratchpad, promotion."""
