Which models there are, and selecting one without losing what a file says.

=== file a.md
# Tides

Tide tables of the harbour.
=== file pinakes.toml
# ours
[map]
budget_tokens = 4000  # small
=== run model
* auto         static, then docs in the background<…>
  static       256 dimensions, <…> MB, static-<…>
  docs  <…>
* docs-rerank  reranker, words, 9 MB, words-<…>
=== run sync
1 document read, 0 unchanged; <…> s.
=== run search harbour
1. a.md:<…>
<…>Tide tables of the harbour.
=== run model list
* auto         static, then docs in the background<…>
  static       256 dimensions, <…> MB, static-<…>, made the present vectors
  docs  <…>
* docs-rerank  reranker, words, 9 MB, words-<…>
=== run model use static
<…>/pinakes.toml now says neural.model = static. pinakes sync makes its vectors.
=== run model upgrade
=== exit 2
=== error
pinakes: neural.model is static; only auto can be upgraded. Select it: pinakes model use auto.
=== run model use auto
<…>/pinakes.toml now says neural.model = auto. pinakes model upgrade makes docs's vectors now; serve, mcp and watch do it in the background.
=== run model use static
<…>/pinakes.toml now says neural.model = static. pinakes sync makes its vectors.
=== run model use none --reranker
<…>/pinakes.toml now says neural.reranker = none. The profile thorough goes by it.
=== run model use docs-rerank --reranker
<…>/pinakes.toml now says neural.reranker = docs-rerank. The profile thorough goes by it.
=== run model use docs-rerank
=== exit 2
=== error
pinakes: docs-rerank is a reranker. Select it with --reranker.
=== run model use nonsense
=== exit 2
=== error
pinakes: There is no embedder called “nonsense”. pinakes model list shows all embedders; a folder is written with a slash, such as ./models/mine.
=== run model use static --reranker
=== exit 2
=== error
pinakes: static is an embedder. Select it without --reranker.
=== run model use http://127.0.0.1:9/v1#words
=== exit 2
=== error
pinakes: <…>/pinakes.toml: neural.model is “http://127.0.0.1:9/v1#words”, which names a drive, a host or a URL; a project’s file may not decide that. <…>
=== run model use http://127.0.0.1:9/v1#words --user
<…>/config.toml now says neural.model = http://127.0.0.1:9/v1#words. pinakes sync makes its vectors.
=== run model add ./nowhere
=== exit 2
=== error
pinakes: <…>/nowhere holds no model: there is no model.onnx. A model's folder holds config.json, tokenizer.json and model.onnx (or model.safetensors).
=== run model add http://127.0.0.1:9/v1#words
=== exit 2
=== error
pinakes: http://127.0.0.1:9/v1 cannot be asked: Connection refused. Check that the server runs.
