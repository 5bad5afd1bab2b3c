"""Tables of access control: tokens, audiences, switches, quarantine, audit, row security."""
