"""What an index in tables is asked, and how a change is written to them, whichever engine keeps the tables.

A `Tables` and a question or a `Change` enter; records leave, or rows are written. The statements are SQL that both
engines understand: a question mark stands for a value, and what else they spell in different ways the engine's own
connection puts into its words.
"""
