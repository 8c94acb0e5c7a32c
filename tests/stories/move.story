Documents, folders and headings get other names: shown first, written as a whole, and taken back.

=== file README.md
# Project

Read [how to sign in](guide/auth.md#tokens) first, then [[auth]].
=== file guide/auth.md
# Authentication

See [the project](../README.md).

## Tokens

They expire.
=== run move guide/auth.md manual/login.md
rename from guide/auth.md
rename to manual/login.md
--- a/README.md
+++ b/README.md
@@ -3 +3 @@
-Read [how to sign in](guide/auth.md#tokens) first, then [[auth]].
+Read [how to sign in](manual/login.md#tokens) first, then [[login]].
guide/auth.md would become manual/login.md: 2 changes in 1 file. Nothing is written without --apply.
=== run check
nothing found
=== run move guide/auth.md manual/login.md --apply
guide/auth.md is now manual/login.md: 2 changes in 1 file. pinakes move --undo takes it back.
=== run read README.md --plain
# Project

Read [how to sign in](manual/login.md#tokens) first, then [[login]].
=== run check
nothing found
=== run rename manual/login.md#tokens "API keys" --json
{"plan":{"old":"docs:manual/login.md#tokens","new":"docs:manual/login.md#api-keys","files":[{"ref":"docs:README.md","digest":"<hash>","edits":[{"span":[33,55],"old":"manual/login.md#tokens","new":"manual/login.md#api-keys"}]},{"ref":"docs:manual/login.md","digest":"<hash>","edits":[{"span":[55,61],"old":"Tokens","new":"API keys"}]}],"moves":[],"notes":[],"carried":[]},"state":"planned"}
=== run rename manual/login.md#tokens "API keys" --apply
manual/login.md#tokens is now manual/login.md#api-keys: 2 changes in 2 files. pinakes move --undo takes it back.
=== run rename --undo
manual/login.md#api-keys is again manual/login.md#tokens: 2 changes in 2 files.
=== run move --undo
=== error
pinakes: There is no move to undo. pinakes log shows what was written.
=== exit 1
=== run rename manual handbook --apply
manual is now handbook: 1 change in 1 file. pinakes move --undo takes it back.
=== run check
nothing found
=== run move handbook/login.md README.md
=== error
pinakes: README.md exists already. Choose another name, or move that away first.
=== exit 2
=== run move handbook/login.md
=== error
pinakes: Name what to move and where to. pinakes move --help says what it takes.
=== exit 2
=== run log --limit 2
<time>  cli     <number>  move      done      docs:manual → docs:handbook
<time>  cli     <number>  move      updated   docs:README.md
