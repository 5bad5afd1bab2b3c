"""Tables of what is measured, and the counts over the tables of others."""
