"""Personal memory: what an assistant keeps of a person's words, answers from, and forgets."""
