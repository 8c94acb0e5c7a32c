"""What does a document look like in a browser? Cleaned HTML from plain functions.

A document and where its links lead enter, markup leaves that nothing in the document can turn into something that acts.
The served page and published pages are made of it and share `static/page.css`; addresses and frames are theirs.
"""
