Paths are seen from the folder one is in, and slips are answered with what was meant.

=== file docs/guide/start.md
# Start

Hello.
=== file docs/README.md
# Home

[start](guide/start.md)
=== run sync --root docs
2 documents read, 0 unchanged; <…> s.
=== run status docs/guide/start.md --root docs
indexed  guide/start.md: is indexed as markdown.
=== run read docs/guide/start.md:3 --plain --root docs
Hello.
=== run serach hello
=== exit 2
=== error
pinakes: There is no command “serach”. Did you mean search?<…>
=== run search hello there --root docs --limit 1
1. guide/start.md:1-3  Start
     Hello.
=== run check --root nowhere
=== exit 2
