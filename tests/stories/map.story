A repository is read, kept and printed; a second look changes nothing.

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
=== run map
legend: [kind or contents]; (keywords); ~Nln lines; ←N sections elsewhere link here; → links to (no slash: same folder, else from the root)
README.md [readme]
  # Project
specs/
  context.md — Context [spec] ←2
    # Context & History (conversation, earlier messages) ~19ln
      ## ContextManager (budget, src/context.py, shed) [code] ~8ln ←1
        → src/context.py
      ## History Compaction (trigger threshold, verbatim window, latest messages) ~7ln ←1
        ### Topic Detection (boundary, score falls, confidence)
          → tiering.md#promotion
  tiering.md [spec]
    # Cache Tiering (blocks move, compaction) ~15ln
      → context.md
      → context.md#history-compaction
      ## Promotion [table] ~6ln ←1
      ## See also (ContextManager, bad) [links] ~5ln
        → context.md#contextmanager
        → context.md
=== run map --no-sync
legend: [kind or contents]; (keywords); ~Nln lines; ←N sections elsewhere link here; → links to (no slash: same folder, else from the root)
README.md [readme]
  # Project
specs/
  context.md — Context [spec] ←2
    # Context & History (conversation, earlier messages) ~19ln
      ## ContextManager (budget, src/context.py, shed) [code] ~8ln ←1
        → src/context.py
      ## History Compaction (trigger threshold, verbatim window, latest messages) ~7ln ←1
        ### Topic Detection (boundary, score falls, confidence)
          → tiering.md#promotion
  tiering.md [spec]
    # Cache Tiering (blocks move, compaction) ~15ln
      → context.md
      → context.md#history-compaction
      ## Promotion [table] ~6ln ←1
      ## See also (ContextManager, bad) [links] ~5ln
        → context.md#contextmanager
        → context.md
=== run map specs/tiering.md --summary --tokens
legend: [kind or contents]; (keywords); ~Nln lines; ~Ntok tokens; ←N sections elsewhere link here; → links to (no slash: same folder, else from the root); > first sentence
specs/
  tiering.md [spec]
    # Cache Tiering (blocks move, compaction) ~15ln ~100tok
      > Blocks move between tiers.
      → context.md
      → context.md#history-compaction
      ## Promotion [table] ~6ln ~25tok ←1
      ## See also (ContextManager, bad) [links] ~5ln ~38tok
        > context#ContextManager
        → context.md#contextmanager
        → context.md
=== run map --budget 60
legend: …N left out
specs/ …1
  context.md — Context
    # Context & History
      ## ContextManager
      ## History Compaction
        ### Topic Detection
…1
shown: 4 of 8 sections, 1 of 3 files
=== run map nowhere
=== exit 1
=== error
pinakes: There are no documents under “nowhere”. pinakes status --files lists all files.
