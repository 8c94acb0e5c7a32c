"""Fuzzing: bytes that a stranger chose, given to everything that reads a stranger's bytes."""
