Questions with known answers, asked of a set and of a library.

=== file set/corpus/fruit.md
# Apples

Apples ripen in autumn and keep until spring in a cool cellar.

## Storage

Lay apples side by side on straw so that none of them touches another.
=== file set/corpus/tools.md
# Ladders

A ladder stands at an angle of seventy degrees against a strong branch.
=== file set/queries.jsonl
{"id": "1", "query": "apples on straw", "style": "howto", "relevant": [{"path": "fruit.md", "heading": "storage", "grade": 2}]}
{"id": "2", "query": "ladder angle", "style": "fact", "relevant": [{"path": "tools.md", "heading": "", "grade": 2}]}
{"id": "3", "query": "zeppelin mooring", "style": "noanswer", "relevant": []}
=== run eval set --profile fast --store kept
style  questions  NDCG@10  MRR@10  Recall@10  page NDCG  in 2,000 tokens
fact           1    1.000   1.000      1.000      1.000            1.000
howto          1    1.000   1.000      1.000      1.000            1.000
all            2    1.000   1.000      1.000      1.000            1.000
left empty: 1 of 1 without an answer, 0 of 2 with one; separation by belief: 1.000
left empty or called weak: 1 of 1 without an answer, 0 of 2 with one
3 questions, <…> ms each (median)
=== run eval set --ablate --profile fast --store kept
<…>NDCG@10  difference <…> left empty  separation <…>
everything <…>
without spelling <…>
without compare <…>
without page_support <…>
without answering <…>
without evidence <…>
=== run eval set/queries.jsonl --root set/corpus --profile fast --run found.jsonl
style  questions  NDCG@10  MRR@10  Recall@10  page NDCG  in 2,000 tokens
fact           1    1.000   1.000      1.000      1.000            1.000
howto          1    1.000   1.000      1.000      1.000            1.000
all            2    1.000   1.000      1.000      1.000            1.000
left empty: 1 of 1 without an answer, 0 of 2 with one; separation by belief: 1.000
left empty or called weak: 1 of 1 without an answer, 0 of 2 with one
3 questions, <…> ms each (median)
=== run eval set --root set/corpus
=== exit 2
=== error
pinakes: The set has a corpus of its own. Leave --root out, or name the file of questions alone.
=== run eval
=== exit 2
=== error
pinakes: Name a SET of questions, or use --self to make questions from the documents. pinakes eval --help says what it takes.
=== file bad.jsonl
{"id": "1"}
=== run eval bad.jsonl
=== exit 2
=== error
pinakes: <…>bad.jsonl, line 1 is not a question: 'query'. It needs at least "id" and "query".
