"""How well is source code read? Each language beside what its own people read it with, and how fast that is."""
