The documents as they were at an earlier commit, asked on the terminal and over HTTP; the files on disk have moved on.

=== file README.md
# Harbour

The harbour office. See [tides](guide/tides.md).
=== file guide/tides.md
# Tides

High water comes twice a day.
=== commit First
=== delete guide/tides.md
=== file guide/currents.md
# Currents

The current turns after high water.
=== commit Second
=== run map --at HEAD~1
<…>
README.md [readme]
  # Harbour
    → guide/tides.md
guide/
  tides.md [guide] ←1
    # Tides
=== run read guide/tides.md --at HEAD~1 --plain
# Tides

High water comes twice a day.
=== run links guide/tides.md --at HEAD~1
docs:guide/tides.md
  ← docs:README.md#harbour  (line 3, link)
      The harbour office. See tides.
=== run check --at HEAD~1
nothing found
=== run check --only broken-link
README.md:3: broken-link “guide/tides.md” does not exist
1 error, 0 warnings
=== exit 1
=== run search "high water" --at HEAD~1 --detail ids
1. guide/tides.md:1-3  Tides
=== run read guide/tides.md --at v9
=== exit 1
=== error
pinakes: “v9” is no revision in git. Name a branch, a tag or a commit, such as HEAD~5.
=== start serve --port 0
=== hear
<…>
=== request GET /read?address=guide/tides.md&at=HEAD~1
200 application/json
{
 "ref": "docs:guide/tides.md",
 "path": "guide/tides.md",
 "title": "Tides",
 "trail": [],
 "kind": "guide",
 "lines": "1-3",
 "span": [
  0,
  39
 ],
 "digest": "<hash>",
 "text": "# Tides\n\nHigh water comes twice a day.\n"
}
=== request GET /read?address=guide/tides.md
404 application/problem+json
{
 "type": "about:blank",
 "title": "Not Found",
 "status": 404,
 "detail": "There is no document “guide/tides.md”.",
 "next_step": "Did you mean guide/currents.md?"
}
=== stop
