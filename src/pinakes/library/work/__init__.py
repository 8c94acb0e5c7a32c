"""What a workspace is made of: its modes, its files, what is said in it, and what stands in its prompt."""
