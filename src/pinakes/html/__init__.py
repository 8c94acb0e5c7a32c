"""What does a document look like in a browser? Cleaned HTML from plain functions.

A document and where its links lead enter, markup leaves that nothing in the document can turn into something that acts.
The served page and published pages are made of it; addresses, frames and styles are theirs.
"""
