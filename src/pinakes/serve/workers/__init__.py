"""Several processes that serve one port: workers that answer, one writer that keeps the indexes current.

    supervisor    binds the port, starts everybody, hands each connection to a worker, starts again who dies
    writer        watches the folders, refreshes, makes keywords and vectors, tells the workers what changed
    worker        answers HTTP, MCP and the page from the indexes, and asks the writer whether they are current

All are forked from the supervisor, which has no threads and opens no index. Indexes are files that every process maps,
so their pages are in memory once. A worker that meets an index out of date has the writer refresh it and waits as long
as `freshness` says.
"""
