"""How things look: one description of each, drawn in a terminal or written plainly in a pipe."""
