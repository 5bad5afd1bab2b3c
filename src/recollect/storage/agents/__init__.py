"""Tables of agents' sessions and what was observed in them."""
