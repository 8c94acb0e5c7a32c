The library is written as static files, once; what did not change is not written again.

=== file README.md
# Home

See [ropes](ropes.md).
=== file ropes.md
# Ropes

A rope is spliced by hand.
=== run publish out
<folder>/out: 2 documents in 1 topics, 2 chunks (static-<hash>)
3 pages and 0 other files; 30 written, 0 removed, 0 unchanged; <took>
=== run publish out
<folder>/out: 2 documents in 1 topics, 2 chunks (static-<hash>)
3 pages and 0 other files; 0 written, 0 removed, 30 unchanged; <took>
=== file ropes.md
# Ropes

A rope is spliced by a machine.
=== run publish out
<folder>/out: 2 documents in 1 topics, 2 chunks (static-<hash>)
3 pages and 0 other files; 12 written, 0 removed, 18 unchanged; <took>
=== run publish .
=== exit 2
=== error
pinakes: <folder> is not empty and was not published by Pinakes. Name an empty folder or one that is not there.
