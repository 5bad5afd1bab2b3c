"""Pages of the panel, one module each: the content of a page, and the actions of its buttons."""
