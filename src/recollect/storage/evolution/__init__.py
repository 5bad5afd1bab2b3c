"""Tables of evolution: runs of the night, what each changed, and what is due in the next."""
