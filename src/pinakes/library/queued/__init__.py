"""Libraries from git that a database knows, and the work that is done for them by whoever is there.

`DatabaseLibraries` lists, adds, syncs, removes and opens them; a `QueueWorker` does the jobs.
"""
