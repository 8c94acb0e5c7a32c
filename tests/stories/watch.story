The index follows the files while somebody watches.

=== file README.md
# Home

Text.
=== start watch
=== hear
pinakes: watching library; Ctrl-C ends it
=== file ropes.md
# Ropes

A rope is spliced by hand.
=== hear
<clock> library: read ropes.md; <took>
=== delete ropes.md
=== hear
<clock> library: gone ropes.md; <took>
=== stop
