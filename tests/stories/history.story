Commits are found by what they say and did, narrowed by path, author and time, and shown by their hash.

=== file docs/auth.md
# Auth

Tokens expire after 30 minutes.
=== commit Write down how tokens expire
=== file docs/auth.md
# Auth

Tokens expire after an hour.
=== commit Let tokens live for an hour, because people were logged out at lunch
=== file docs/keys.md
# Keys

Keys are rotated by hand.
=== commit Describe the rotation of keys
=== run history "why do tokens live for an hour?" --limit 1
1. history:<hash>:1-6  2026-01-02 Let tokens live for an hour, because people were logged out at lunch
     Let tokens live for an hour, because people were logged out at lunch
     Author: Ada Lovelace <ada@example.org>, 2026-01-02
     Files:
     - docs/auth.md (changed)
=== run history --author grace
Nothing found.
=== exit 1
=== run history --after 2026-01-03
1. history:<hash>:1-6  2026-01-03 Describe the rotation of keys
     Describe the rotation of keys
     Author: Ada Lovelace <ada@example.org>, 2026-01-03
     Files:
     - docs/keys.md (added)
=== run history "nothing of the kind, zebra"
Nothing answers this. The best sections contain 0% of the question. These words occur nowhere: nothing, kind, zebra.
  nearest: history:<hash>#diff
  nearest: history:<hash>#diff
  nearest: history:<hash>
=== exit 1
=== run history --after soon
=== exit 2
=== error
pinakes: after: “soon” is not a valid date. Write a year, a month or a day: 2026, 2026-01-31. Seconds since 1970 are taken too. pinakes history --help says what it takes.
