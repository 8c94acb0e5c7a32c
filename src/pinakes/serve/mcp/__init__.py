"""The Model Context Protocol door: tools, resources and prompts over the libraries, on stdio and streamable HTTP.

Requests enter, one call of the library is made, its record leaves in the wire shape with a text that a model can read.
Importing this package loads nothing of the SDK: `stdio.serve` answers the first request while that is being loaded.
"""
