"""Moving a whole store to another address, and comparing the two."""
