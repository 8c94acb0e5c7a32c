How fast a library answers, with questions of one's own and with made ones.

=== file docs/fruit.md
# Apples

Apples ripen in autumn and keep until spring in a cool cellar.

## Storage of apples

Lay apples side by side on straw so that none of them touches another.
=== file docs/tools.md
# Ladders

A ladder stands at an angle of seventy degrees against a strong branch.
=== file questions.txt
apples on straw

ladder angle
=== run bench questions.txt --root docs --profile fast --rounds 2
3 passages; 2 questions, 2 rounds, profile fast

milliseconds<…> median<…> 95 %<…> 99 %
one caller <…>.<…>
  understand <…>
  words <…>
  compare <…>
  fuse <…>
  page_support <…>
  answering <…>
  evidence <…>
  select <…>
  present <…>
  the rest <…>
8 callers <…>.<…>

throughput: <…> questions/s by one caller, <…> by 8
cold start: <…> ms with --no-sync, <…> ms comparing with the folder first (median of 5)
memory: <…> MB resident in this process
on disk: store <…> MB, words <…> MB, vectors 0.0 MB
=== error
=== run bench --root docs --profile balanced --rounds 1 --json
{"profile":"balanced","speed":{"questions":<…>,"rounds":1,"alone":{"times":<…>,"p50_s":<…>,"taken":{"passages":3,<…>,"made_questions":true}
=== error
=== run bench nowhere.txt --root docs
=== exit 2
=== error
pinakes: Invalid value for '[QUESTIONS]': Path 'nowhere.txt' does not exist. pinakes bench --help says what it takes.
=== file empty.txt

=== run bench empty.txt --root docs
=== exit 2
=== error
pinakes: There are no questions to ask. Name a file with one question per line.
