Addresses lead to verbatim slices, or to the nearest thing there is.

=== file README.md
# Project

Read [the specs](specs/) first.
=== file specs/context.md
---
title: Context
---
# Context & History

How the context of a conversation is put together from files and earlier messages.

## ContextManager

The `FileContext` keeps a token budget. When the budget is spent, files are shed by age, see `src/context.py`.

```python
manager = FileContext(budget=8000)
```

## History Compaction

A trigger threshold decides when the history is compacted; the verbatim window keeps the latest messages.

### Topic Detection

A boundary is found where the confidence score falls, as in [tiering](tiering.md#promotion).
=== file specs/tiering.md
# Cache Tiering

Blocks move between tiers. See [the context](context.md) and [compaction](context.md#history-compaction).

## Promotion

| tier | after |
|---|---|
| L3 | 3 |

## See also

- [[context#ContextManager]]
- [gone](missing.md)
- [bad](context.md#contextmanger)
=== file src/context.py
x = 1
=== run read specs/context.md#topic-detection
docs:specs/context.md#topic-detection lines 20-22 (Context & History › History Compaction › Topic Detection)

### Topic Detection

A boundary is found where the confidence score falls, as in [tiering](tiering.md#promotion).
=== run read "context.md#Topic Detection" --plain
### Topic Detection

A boundary is found where the confidence score falls, as in [tiering](tiering.md#promotion).
=== run read specs/tiering.md:5-9 --plain
## Promotion

| tier | after |
|---|---|
| L3 | 3 |
=== run read specs/tiering.md:99
=== exit 1
=== error
pinakes: specs/tiering.md has no such lines. It has lines 1 to 15.
=== run read specs/contxt.md
=== exit 1
=== error
pinakes: There is no document “specs/contxt.md”. Did you mean specs/context.md or specs/tiering.md?
=== run read specs/context.md#topics
=== exit 1
=== error
pinakes: specs/context.md has no section “topics”. pinakes map specs/context.md lists its sections.
=== run links specs/context.md
docs:specs/context.md
  → docs:src/context.py  (line 10, path)
      …keeps a token budget. When the budget is spent, files are shed by age, see src/context.py.
  → docs:specs/tiering.md#promotion  (line 22, link)
      A boundary is found where the confidence score falls, as in tiering.
  ← docs:specs/tiering.md#cache-tiering  (line 3, link)
      Blocks move between tiers. See the context and [compaction](context.md#history-compaction).
  ← docs:specs/tiering.md#cache-tiering  (line 3, link)
      Blocks move between tiers. See [the context](context.md) and compaction.
  ← docs:specs/tiering.md#see-also  (line 13, wikilink, related)
      - context#ContextManager - [gone](missing.md) - [bad](context.md#contextmanger)
  ← docs:specs/tiering.md#see-also  (line 15, link, related)
      - [[context#ContextManager]] - [gone](missing.md) - bad
=== run links specs/tiering.md#promotion --json
{"ref":"docs:specs/tiering.md#promotion","outgoing":[],"incoming":[{"from":"docs:specs/context.md#topic-detection","line":22,"text":"tiering","target":"tiering.md#promotion","form":"link","relation":"links_to","outcome":"found","to":"docs:specs/tiering.md#promotion","candidates":[],"around":"A boundary is found where the confidence score falls, as in tiering."}]}
