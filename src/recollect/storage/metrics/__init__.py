"""Tables of metrics, and counts over the tables of other packages."""
