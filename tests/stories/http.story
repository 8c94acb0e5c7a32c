A server answers with whole records, refuses with a sentence and a next step, and ends when it is told to.

=== file pinakes.toml
[neural]
model = "static"
=== file README.md
# Harbour

The harbour office. See [tides](guide/tides.md).
=== file guide/tides.md
# Tides

High water comes twice a day.

## Tables

Tide tables are printed every January.
=== start serve --port 0
=== hear
pinakes: serving library at http://127.0.0.1:<port>/
=== request GET /health
200 application/json
{
 "status": "ok"
}
=== request GET /search?query=tide+tables&limit=1
200 application/json
{
 "query": {
  "text": "tide tables",
  "where": {
   "corpora": [],
   "paths": [],
   "tags": [],
   "kinds": [],
   "categories": [],
   "languages": [],
   "written_in": [],
   "author": "",
   "after": "",
   "before": "",
   "linked_to": null,
   "project": "",
   "files": []
  },
  "limit": 1,
  "profile": "balanced",
  "hypothesis": "",
  "max_tokens": 0,
  "detail": "section",
  "pack": false,
  "min_score": 0.0,
  "min_share": 0.0,
  "group": false,
  "duplicates": false,
  "diverse": false,
  "typing": false,
  "as_spelled": [],
  "abstain": true,
  "recent": false
 },
 "kind": "exploratory",
 "hits": [
  {
   "ref": "docs:guide/tides.md#tables",
   "path": "guide/tides.md",
   "title": "Tides",
   "trail": [
    "Tides",
    "Tables"
   ],
   "kind": "guide",
   "lines": "5-7",
   "span": [
    40,
    89
   ],
   "text": "## Tables\n\nTide tables are printed every January.",
   "excerpt": "Tide tables are printed every January.",
   "tokens": <number>,
   "matches": [
    [
     43,
     49
    ],
    [
     51,
     55
    ],
    [
     56,
     62
    ]
   ],
   "score": <number>,
   "votes": [
    {
     "retriever": "words",
     "rank": 1,
     "score": <number>,
     "by": ""
    },
    {
     "retriever": "meaning",
     "rank": 1,
     "score": <number>,
     "by": "static-<…>"
    },
    {
     "retriever": "page",
     "rank": 0,
     "score": <number>,
     "by": ""
    },
    {
     "retriever": "rare",
     "rank": 0,
     "score": <number>,
     "by": ""
    }
   ],
   "digest": "122e2d2ee58f85c8425859d24aa75da4",
   "modified": "",
   "also_in": [],
   "origin": "",
   "memories": 0,
   "match": "both"
  }
 ],
 "stages": [
  {
   "name": "understand",
   "came_in": 0,
   "went_out": 0,
   "seconds": <number>,
   "note": "",
   "left_out": {}
  },
  {
   "name": "words",
   "came_in": 0,
   "went_out": 3,
   "seconds": <number>,
   "note": "",
   "left_out": {}
  },
  {
   "name": "meaning",
   "came_in": 0,
   "went_out": 3,
   "seconds": <number>,
   "note": "",
   "left_out": {}
  },
  {
   "name": "compare",
   "came_in": 3,
   "went_out": 3,
   "seconds": <number>,
   "note": "",
   "left_out": {}
  },
  {
   "name": "fuse",
   "came_in": 6,
   "went_out": 3,
   "seconds": <number>,
   "note": "words × <number>, meaning × <number>",
   "left_out": {}
  },
  {
   "name": "page_support",
   "came_in": 3,
   "went_out": 3,
   "seconds": <number>,
   "note": "",
   "left_out": {}
  },
  {
   "name": "answering",
   "came_in": 3,
   "went_out": 3,
   "seconds": <number>,
   "note": "",
   "left_out": {}
  },
  {
   "name": "evidence",
   "came_in": 0,
   "went_out": 0,
   "seconds": <number>,
   "note": "",
   "left_out": {}
  },
  {
   "name": "select",
   "came_in": 3,
   "went_out": 1,
   "seconds": <number>,
   "note": "",
   "left_out": {
    "limit": 2
   }
  },
  {
   "name": "present",
   "came_in": 1,
   "went_out": 1,
   "seconds": <number>,
   "note": "",
   "left_out": {}
  }
 ],
 "missing": [],
 "unknown": [],
 "corrections": {},
 "evidence": {
  "coverage": <number>,
  "strength": <number>,
  "unseen": <number>,
  "closeness": <number>,
  "belief": <number>
 },
 "abstained": "",
 "nearest": [],
 "doubt": "",
 "folders": []
}
=== request GET /map?budget=200&format=text
200 text/plain
legend: [kind or contents]; ~Nln lines; ←N sections elsewhere link here; → links to (no slash: same folder, else from the root)
README.md [readme]
  # Harbour
    → guide/tides.md
guide/
  tides.md [guide] ←1
    # Tides ~7ln
      ## Tables
=== request GET /read?address=guide/tides.md%23tables
200 application/json
{
 "ref": "docs:guide/tides.md#tables",
 "path": "guide/tides.md",
 "title": "Tides",
 "trail": [
  "Tides",
  "Tables"
 ],
 "kind": "guide",
 "lines": "5-7",
 "span": [
  40,
  90
 ],
 "digest": "122e2d2ee58f85c8425859d24aa75da4",
 "text": "## Tables\n\nTide tables are printed every January.\n"
}
=== request GET /links?address=guide/tides.md
200 application/json
{
 "ref": "docs:guide/tides.md",
 "outgoing": [],
 "incoming": [
  {
   "from": "docs:README.md#harbour",
   "line": 3,
   "text": "tides",
   "target": "guide/tides.md",
   "form": "link",
   "relation": "links_to",
   "outcome": "found",
   "to": "docs:guide/tides.md",
   "candidates": [],
   "around": "The harbour office. See tides."
  }
 ]
}
=== request GET /read?address=guide/tiles.md
404 application/problem+json
{
 "type": "about:blank",
 "title": "Not Found",
 "status": 404,
 "detail": "There is no document “guide/tiles.md”.",
 "next_step": "Did you mean guide/tides.md?"
}
=== request GET /search?query=tides&limit=0
422 application/problem+json
{
 "type": "about:blank",
 "title": "Unprocessable Entity",
 "status": 422,
 "detail": "limit: “0” is not taken.",
 "next_step": "Give a whole number from 1 to 100."
}
=== request GET /search?query=tides&after=2026-99-99
422 application/problem+json
{
 "type": "about:blank",
 "title": "Unprocessable Entity",
 "status": 422,
 "detail": "after: “2026-99-99” is not a valid date.",
 "next_step": "Write a year, a month or a day: 2026, 2026-01-31. Seconds since 1970 are taken too."
}
=== request GET /nothing
404 application/problem+json
{
 "type": "about:blank",
 "title": "Not Found",
 "status": 404,
 "detail": "There is no such page here."
}
=== stop
