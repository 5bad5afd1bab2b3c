"""Tables of evolution (nightly maintenance): runs, their changes, and what is due next."""
