"""What lasts in a message: the statements in it that are worth an entry."""
