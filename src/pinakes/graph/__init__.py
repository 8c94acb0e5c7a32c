"""What points where?

Documents and links as written enter; the names documents answer to, links as understood, and measures of the whole
graph leave. Where any of it is kept is a store's business: this room only asks a `Reader`.
"""
