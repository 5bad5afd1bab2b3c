"""The panel's pages, one module each: what a page shows, and what its buttons do."""
