"""The library for editors, over the Language Server Protocol.

Requests of an editor and the unsaved text of its documents enter; places, names, findings and edits leave. What a link
means and what is wrong with a document is decided by the library: here it is only asked with the text in the editor in
place of the stored one (`view`), and its answers are counted in the editor's positions (`positions`).
"""
