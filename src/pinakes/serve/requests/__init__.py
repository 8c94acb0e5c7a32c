"""What may be asked, described once for every door: names, types, limits, defaults, help.

`questions`, `status` and `notes` hold the table, `parameters` reads and refuses by it.
"""
