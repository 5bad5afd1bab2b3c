"""Database dialects: the differences between databases, behind one Protocol."""
