"""Personal memory: what an assistant keeps of a person's words, and what the person decides."""
