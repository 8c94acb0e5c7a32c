Links that lead nowhere are found with what was probably meant; the exit code tells a build.

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
=== run check
specs/tiering.md:14: broken-link “missing.md” does not exist
specs/tiering.md:15: broken-anchor “context.md#contextmanger”: specs/context.md has no such section (did you mean context.md#contextmanager?)
2 errors, 0 warnings
=== exit 1
=== run check --format github
::error file=specs/tiering.md,line=14,title=broken-link::“missing.md” does not exist
::error file=specs/tiering.md,line=15,title=broken-anchor::“context.md#contextmanger”: specs/context.md has no such section (did you mean context.md#contextmanager?)
=== exit 1
=== run check --json
[{"code":"broken-link","severity":"error","ref":"docs:specs/tiering.md#see-also","path":"specs/tiering.md","line":14,"message":"“missing.md” does not exist","suggestion":""},{"code":"broken-anchor","severity":"error","ref":"docs:specs/tiering.md#see-also","path":"specs/tiering.md","line":15,"message":"“context.md#contextmanger”: specs/context.md has no such section","suggestion":"context.md#contextmanager"}]
=== exit 1
=== run check specs/context.md
nothing found
=== file specs/missing.md
# Now it is here
=== file specs/tiering.md
# Cache Tiering

[here now](missing.md) and [the context](context.md#contextmanager)

## Promotion
=== run check
nothing found
