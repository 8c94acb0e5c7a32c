"""What a database knows of libraries from git, and the queue of work that is done for them.

`registry` lists the libraries, `queue` hands jobs out by lease and takes them back, `presence` tells which workers are
there. What a job does is not known here.
"""
