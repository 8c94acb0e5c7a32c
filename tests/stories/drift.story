Documents and code together: a link to a symbol that is not there, a parameter that got another name, what nobody wrote about.

=== file pinakes.toml
[code]
enabled = true
=== file README.md
# Turns

`History.compact(limit)` leaves out [the oldest](src/ac/history.py#History.compct).
=== file src/ac/history.py
"""Turns of a conversation; see README.md#turns."""


class History:
    def compact(self, limit=0): ...

    def close(self): ...
=== commit One
=== run links README.md#turns
docs:README.md#turns
  → src/ac/history.py#History.compct (broken anchor)  (line 3, link)
      `History.compact(limit)` leaves out the oldest.
  → code:src/ac/history.py#History.compact  (line 3, symbol, mentions)
      `History.compact(limit)` leaves out [the oldest](src/ac/history.py#History.compct).
  ← code:src/ac/history.py  (line 1, path)
      """Turns of a conversation; see README.md#turns."""
=== run check
README.md:3: broken-anchor “src/ac/history.py#History.compct”: src/ac/history.py has no such symbol (did you mean src/ac/history.py#History.compact?)
1 error, 0 warnings
=== exit 1
=== file src/ac/history.py
"""Turns of a conversation; see README.md#turns."""


class History:
    def compact(self, most=0): ...

    def close(self): ...
=== commit Two
=== run check --only drift --strict
README.md:3: drift History.compact has changed: its parameter limit is called most now, after this section was last touched
0 errors, 1 warning
=== exit 1
=== run check --only undocumented --strict
src/ac/history.py:7: undocumented no document mentions History.close
0 errors, 0 warnings, 1 notice
=== start serve --port 0
=== hear
<…>
=== request GET /check?undocumented=true&only=undocumented
200 application/json
[
 {
  "code": "undocumented",
  "severity": "notice",
  "ref": "code:src/ac/history.py",
  "path": "src/ac/history.py",
  "line": 7,
  "message": "no document mentions History.close",
  "suggestion": "",
  "other": null
 }
]
=== stop
