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
[{"code":"broken-link","severity":"error","ref":"docs:specs/tiering.md#see-also","path":"specs/tiering.md","line":14,"message":"“missing.md” does not exist","suggestion":"","other":null},{"code":"broken-anchor","severity":"error","ref":"docs:specs/tiering.md#see-also","path":"specs/tiering.md","line":15,"message":"“context.md#contextmanger”: specs/context.md has no such section","suggestion":"context.md#contextmanager","other":null}]
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
=== file README.md
# Project

Read [the specs](specs/) and [how to install it](install.md) first.

## Quick start

The server listens on port 8080 by default.
=== file install.md
# Install

| option | default | meaning |
|---|---|---|
| `--timeout` | `30` | seconds to wait for a server |

By default, the server listens on port 9090. With `--timeout` you say how many seconds to wait for
an answer of the server (default: 60).
=== run check
README.md:7: contradiction “The server listens on port 8080 by default” here, but “… the server listens on port 9090” in install.md:7
install.md:5: contradiction --timeout defaults to “30” here, but --timeout defaults to “60” in install.md:7
0 errors, 2 warnings
=== run check --strict --only contradiction --format github
::warning file=README.md,line=7,title=contradiction::“The server listens on port 8080 by default” here, but “… the server listens on port 9090” in install.md:7
::warning file=install.md,line=5,title=contradiction::--timeout defaults to “30” here, but --timeout defaults to “60” in install.md:7
=== exit 1
=== run check --only orphan
nothing found
