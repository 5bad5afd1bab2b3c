"""Tables of who may see what: tokens, audiences, switches, quarantine, audit, row security."""
