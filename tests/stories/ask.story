A model is asked about the documents; what it proposes is shown, written and taken back.

=== file pinakes.toml

=== file guide/tides.md
# Tides

High water comes twice a day.

=== run ask "When is high water?"
=== exit 2
=== error
pinakes: No language model is chosen. Set work.model in your own file (<…>config.toml), or PINAKES_WORK_MODEL; the provider is “anthropic”.

=== model
Twice a day, says guide/tides.md.

=== model
Low water was missing.

guide/tides.md
<<<<<<< FIND
High water comes twice a day.
=======
High water comes twice a day, and so does low water.
>>>>>>> END

=== run ask "When is high water?"
Twice a day, says guide/tides.md.
=== error
pinakes: <number> tokens sent, <number> answered; session <…>

=== run ask --continue "And low water?"
Low water was missing.

guide/tides.md
<<<<<<< FIND
High water comes twice a day.
=======
High water comes twice a day, and so does low water.
>>>>>>> END

--- a/guide/tides.md
+++ b/guide/tides.md
@@ -1,3 +1,3 @@
 # Tides
<…>
-High water comes twice a day.
+High water comes twice a day, and so does low water.
=== error
pinakes: Nothing was written. --apply writes the changes.
pinakes: <number> tokens sent<…>, <number> answered; session <…>

=== run ask --continue "Write it" --apply --json
<…>"changed":["guide/tides.md"]}

=== run read guide/tides.md --plain
# Tides

High water comes twice a day, and so does low water.

=== run log --limit 1
<time>  cli     <number>  <…>edit<…>docs:guide/tides.md

=== run ask --undo
taken back: guide/tides.md

=== run read guide/tides.md --plain
# Tides

High water comes twice a day.

=== run ask --sessions
<…>     6  When is high water?
