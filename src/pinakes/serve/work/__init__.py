"""The door of a workspace: a page and its paths, in front of one library that people and a model work on together.

Requests enter, JSON and streams of events leave. Everything that takes a while runs in a thread; who may come in is
decided by the guard of `serve`.
"""
