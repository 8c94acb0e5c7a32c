Notes are written down, found again, marked when what they speak of changes, and put aside.

=== file docs/roadmap.md
# Roadmap

## Q3

Tokens are shipped.

## Q4

Keys are rotated.
=== file src/server.py
x = 1
=== run memories
0 of 0 memories
=== run recall
Nothing is remembered.
=== exit 1
=== run remember "We plan to rotate keys by hand, see [[docs/roadmap.md#q4]] and [[docs/keys.md]]." --title "Key rotation" --type plan --tag auth --tag keys
key-rotation  Key rotation  (plan, today, #auth, #keys)
  → docs:docs/roadmap.md#q4  (plans)
  loose end: docs/keys.md (missing)
=== run remember "The leak in [[src/server.py]] is fixed." --type fact --review-by 2020-01-31
the-leak-in-src-server-py-is-fixed  The leak in src/server.py is fixed.  (fact, today)
  → docs:src/server.py  (fixes)
  due: It was to be reviewed by 2020-01-31.
=== run recall "how are keys rotated?" --limit 1
1. key-rotation  Key rotation  (plan, today, #auth, #keys)
     We plan to rotate keys by hand, see [[docs/roadmap.md#q4]] and [[docs/keys.md]].
     loose end: docs/keys.md (missing)
=== file docs/roadmap.md
# Roadmap

## Q3

Tokens are shipped.

## Q4

Keys are rotated by a machine.
=== run recall --linked-to docs/roadmap.md
1. key-rotation  Key rotation  (plan, today, #auth, #keys)
     We plan to rotate keys by hand, see [[docs/roadmap.md#q4]] and [[docs/keys.md]].
     verify: docs/roadmap.md#q4 has changed since <…>.
     loose end: docs/keys.md (missing)
=== run update key-rotation "A machine will rotate keys, see [[docs/roadmap.md#q4]]."
key-rotation  Key rotation  (plan, today, #auth, #keys)
  → docs:docs/roadmap.md#q4  (plans)
=== run append "Key rotation" "Tested in [[src/server.py]]."
key-rotation  Key rotation  (plan, today, #auth, #keys)
  → docs:docs/roadmap.md#q4  (plans)
  → docs:src/server.py  (tests)
=== run merge key-rotation the-leak-in-src-server-py-is-fixed --title "Server notes" --text "All about [[src/server.py]]."
server-notes  Server notes  (observation, today, #auth, #keys)
  → docs:src/server.py  (mentions)
=== run memories --status active
server-notes  Server notes  (observation, today, #auth, #keys)
1 of 3 memories: observation 1
tags: auth 1, keys 1
=== run recall "machine" --archived --type plan
1. key-rotation  Key rotation  (plan, archived, today, #auth, #keys)
     A machine will rotate keys, see [[docs/roadmap.md#q4]].
     Tested in [[src/server.py]].
     superseded: “Server notes” (server-notes) took its place.
=== run forget server-notes
server-notes  Server notes  (observation, forgotten today)
=== run recall --tag keys
Nothing is remembered.
2 archived or superseded; --archived looks there too.
=== exit 1
=== run memories --trash
server-notes  Server notes  (observation, forgotten today)
=== run restore server-notes
server-notes  Server notes  (observation, today, #auth, #keys)
  → docs:src/server.py  (mentions)
=== run archive server-notes
server-notes  Server notes  (observation, archived, today, #auth, #keys)
  → docs:src/server.py  (mentions)
=== run forget server-note
=== exit 1
=== error
pinakes: There is no memory “server-note”. Did you mean server-notes?
=== run restore ../../etc/passwd
=== exit 2
=== error
pinakes: “../../etc/passwd” does not name a memory. pinakes memories lists their ids.
