"""What agents are told, when, and what sessions leave behind."""
