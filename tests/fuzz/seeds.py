"""Where the fuzzer begins: a few inputs for each target that reach into its corners."""

from __future__ import annotations

from collections.abc import Mapping

SEEDS: Mapping[str, tuple[bytes, ...]] = {
    "markdown": (
        b"---\ntitle: A\ntags: [x, y]\n---\n# A\n\nText [a](b.md#c) ![[d]] <a id='x'>\n\n## B {#b}\n\n```py\nx\n```\n",
        b"+++\ntitle = 'A'\n[a.b]\nc = 1\n+++\n\nA\n===\n\n| a | b |\n|---|---|\n| `c` | [d][e] |\n\n[e]: f.md\n",
        b"import X from 'x'\n\n<Tabs items={[1]}>\n\n> - 1. **a** _b_ ~~c~~ $d$\n\n</Tabs>\n{{< x >}} {% y %}\n",
        b"\xef\xbb\xbf# \xff\xfe\r\n\r\n<!-- a --><details><summary>b</summary>\n\nc[^1]\n\n[^1]: d\n",
    ),
    "other_formats": (
        b"\0Title\n=====\n\n.. _a:\n\nText :ref:`a <b>` `c <d.html>`_\n\n.. code:: py\n\n   x\n",
        b"\1= Title\n:toc:\n\n== A\n\nlink:b[c] <<d>> xref:e.adoc#f[g]\n\n----\nx\n----\n",
        b"\2#+TITLE: A\n* B :tag:\n[[file:c.org][d]]\n#+BEGIN_SRC py\nx\n#+END_SRC\n",
        b"\3A line.\n\nAnother.\n",
        b'\4<svg xmlns="http://www.w3.org/2000/svg"><title>A</title><g id="b"><text>c</text></g><use href="#b"/></svg>',
        b"\5commit a\nAuthor: b <c@d.example>\nDate: 2026-01-01\n\n    Subject\n\n    Body\n",
    ),
    "page": (
        b"<!doctype html><title>A</title><main><h1>B</h1><p>c <a href='/d'>e</a><table><tr><td>f</table><pre>g</pre>",
        b"<div hidden>a</div><script>b</script><ul><li>c<ol><li>d</ol></ul><img src=data:x alt=e><template>f",
    ),
    "question": (
        b'auth -token "exact phrase" path:docs/api tag:a,b kind:guide lang:py before:2024 after:2024-01-02\nSome auth.',
        '“quoted” -"not this" how do I rm -rf --force? 設定ファイル\nText with a quoted phrase.'.encode(),
    ),
    "edit": (
        b"---\ntitle: A # why\ntags:\n  - x\n  - y\nother: {a: 1}\n---\n\nText\n",
        b"# comment\n[map]\n# budget = 1\nother = [1, 2]\n\n[other]\na.b = 1\n",
        b"\r\n---\r\ntitle: 'A'\r\n---\r\nText",
    ),
    "answer": (
        b"So.\n\n`a.md`:\n```md\n<<<<<<< FIND\nmore text\n=======\nless\n\n>>>>>>> END\n```\n"
        b"c/d.md\n<<<<<<< FIND\n=======\nx\n>>>>>>> END",
        b"./b.md\r\n<<<<<<<< FIND \r\nHeading\r\n=======\r\n========\r\n# H\r\n>>>>>>>> END\r\n"
        b"\r\n<<<<<<< FIND\r\n>>>>>>> END",
        "../é.md\n  <<<<<<< FIND\n<<<<<<< FIND\n=======\n=======\n>>>>>>> END\n>>>>>>> END\n>>>>>>> END".encode(),
    ),
    "settings": (
        b"[map]\nbudget = 2000\n[sources]\nexclude = ['a']\n[roots]\nmore = ['a=../b']\n[neural]\nmodel = 'auto'\n",
        b"[tool.pinakes.search]\nprofile = 'balanced'\n[tool.pinakes]\nstore = '../x'\n",
        b'same = [["k8s", "kubernetes"]]\n[means]\nauth = ["authentication"]\n',
    ),
    "wire": (
        b"\0tides&limit=3&path=guide&before=2024",
        b"\1budget=200&focus=guide/tides.md&format=json",
        b"\2guide/tides.md%23tables&budget=50",
        b"\4page?a=b\nCookie: a=b\nRange: bytes=0-1\nIf-None-Match: *",
        b'\6\nMCP-Protocol-Version: 2025-11-25\n\n{"jsonrpc":"2.0","id":1,"method":"initialize","params":'
        b'{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}',
        b'\6\n\n{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"query":"tide"}}}',
        b'\7\n\n{"text":"A [[tides]] note","title":"B","tag":["c"]}',
        b'\10\n\n{"id":"b","text":"more"}',
    ),
}
