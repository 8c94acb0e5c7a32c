What changed is read, what is gone is forgotten, and every file can be accounted for.

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
=== run sync
3 documents read, 0 unchanged; <…> s.
=== run sync
3 unchanged; <…> s.
=== delete specs/tiering.md
=== file notes/new.md
# New
=== run sync
1 document read, 1 document gone, 2 unchanged; <…> s.
=== run status specs/context.md src/context.py specs/tiering.md
indexed  specs/context.md: is indexed as markdown.
asset    src/context.py: is not indexed, though links to it resolve: it is source code (python), which is read where code.enabled is true.
left_out specs/tiering.md: is not indexed: it does not exist.
