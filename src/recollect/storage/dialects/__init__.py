"""What differs between databases, one small module each, behind one Protocol."""
