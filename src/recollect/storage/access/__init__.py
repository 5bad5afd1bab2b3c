"""Tables of access control: tokens, audiences, quarantine, row security."""
