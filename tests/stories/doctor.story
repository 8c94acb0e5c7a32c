The installation and the index are examined; what is wrong is named with its next step.

=== file pinakes.toml
[neural]
model = "static"
=== file README.md
# Home

Text.
=== run doctor
ok  python: Python <version> at <…>
ok  sqlite: SQLite <…>.
ok  folder: <folder> can be read.
ok  index: There is no index yet. pinakes sync makes one.
ok  embedder: static-<hash>, 256 dimensions.
=== run sync
1 document read, 0 unchanged; <took>.
=== run doctor
ok  python: Python <version> at <…>
ok  sqlite: SQLite <…>.
ok  folder: <folder> can be read.
ok  index: The index in <folder>/.pinakes is sound.
ok  embedder: static-<hash>, 256 dimensions.
=== file .pinakes/library.db
This is no database.
=== run doctor
ok  python: Python <version> at <…>
ok  sqlite: SQLite <…>.
ok  folder: <folder> can be read.
BAD index: The index <folder>/.pinakes/library.db is damaged: it was <number> bytes long and is now 21. pinakes doctor --repair sets it aside and builds a new one.
ok  embedder: static-<hash>, 256 dimensions.
=== exit 1
=== run doctor --repair
ok  python: Python <version> at <…>
ok  sqlite: SQLite <…>.
ok  folder: <folder> can be read.
ok  index: The index in <folder>/.pinakes is sound.
ok  embedder: static-<hash>, 256 dimensions.
=== run doctor
ok  python: Python <version> at <…>
ok  sqlite: SQLite <…>.
ok  folder: <folder> can be read.
ok  index: The index in <folder>/.pinakes is sound.
ok  embedder: static-<hash>, 256 dimensions.
