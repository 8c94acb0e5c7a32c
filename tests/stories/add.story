A document from elsewhere is kept, found with the rest, looked at again and dropped.

=== file README.md
# Home

Ropes are spliced by hand.
=== file elsewhere/lamps.html
<html><head><title>Lamps</title></head><body><h1>Lamps</h1><p>An oil lamp is trimmed every evening.</p></body></html>
=== run add elsewhere/lamps.html --title Lamps
added: <id> [default]  Lamps  <folder>/elsewhere/lamps.html
=== run list
default
  <id>  Lamps  <folder>/elsewhere/lamps.html
=== run search "when is the oil lamp trimmed" --corpus added --limit 1
1. added:default/<id>.md:1-3  Lamps
     An oil lamp is trimmed every evening.
     from <folder>/elsewhere/lamps.html
=== run get <id>
<id> [default]  Lamps  <folder>/elsewhere/lamps.html
added <time>, changed <time>, 118 bytes

# Lamps

An oil lamp is trimmed every evening.
=== run updates
unchanged   <id>  <folder>/elsewhere/lamps.html
=== run drop <id>
dropped: <id> [default]  Lamps  <folder>/elsewhere/lamps.html
=== run list
No document was added. pinakes add PATH or URL adds one.
=== exit 1
=== run get <id>
=== exit 1
=== error
pinakes: There is no added document “<id>”. pinakes list shows all added documents.
