"""What a new statement does to what is known: replaces, ends, corrects or contradicts it."""
