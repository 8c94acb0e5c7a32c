"""The paths to which ``tsconfig.json`` maps names of modules decide where imports lead."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from kits.trees import write_tree
from pinakes.library import Library, open_library
from pinakes.parse.code.module_paths import read_module_paths

pytest.importorskip("tree_sitter_typescript", reason="needs the extra code")

FILES = {
    "pinakes.toml": "[code]\nenabled = true\n",
    "tsconfig.base.json": '﻿{\n  // shared, "by" all\n  "compilerOptions": {"paths": {'
    '"@shared/*": ["./libs/shared/src/*"], "@tools": ["libs/tools/index.ts",], "odd/*/*": ["libs/*"],'
    '"@gone/*": ["../outside/*", "/etc/*", "libs/gone/*", "apps/lost/*"]}, /* no more */ },\n}\n',
    "libs/shared/src/date.ts": "export function today() {}\n",
    "libs/tools/index.ts": "export function mend() {}\n",
    "apps/web/tsconfig.json": '{"files": [], "references": [{"path": "./tsconfig.app.json"}]}',
    "apps/web/tsconfig.app.json": '{"extends": ["../../tsconfig.base"]}',
    "apps/web/src/main.ts": (
        "import { today } from '@shared/date';\nimport { mend } from '@tools';\n"
        "import { lost } from '@gone/lost';\n"
        "import React from 'react';\n"
    ),
    "apps/based/jsconfig.json": '{"compilerOptions": {"baseUrl": "./src", "paths": {"pads": ["lib/pad.js"]}}}',
    "apps/based/src/util.js": "export function cut() {}\n",
    "apps/based/src/lib/pad.js": "export function pad() {}\n",
    "apps/based/src/main.js": "import { cut } from 'util';\nconst { pad } = require('pads');\n",
    "apps/plain/tsconfig.json": "{}",
    "apps/plain/main.ts": "import { mend } from '@tools';\nimport { today } from '@/src/date';\n",
    "apps/lost/lost.ts": "export function lost() {}\n",
    "apps/bad/tsconfig.json": "[" * 50_000,
    "apps/bad/main.ts": "import { mend } from '@tools';\n",
    "apps/round/tsconfig.json": '{"extends": "./other.json"}',
    "apps/round/other.json": '{"extends": ["./tsconfig.json", "../../../secret.json", "@some/package"],'
    '"compilerOptions": {"paths": {"~own/*": ["${configDir}/*"]}}}',
    "apps/round/own.ts": "export function own() {}\n",
    "apps/round/main.jsx": "import { own } from '~own/own';\n",
}


def _leads(library: Library, path: str) -> set[str]:
    return {str(edge.to).removeprefix("code:") for edge in library.links(f"code:{path}").outgoing if edge.to}


def test_names_of_modules_lead_where_the_nearest_configuration_says(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES)
    with open_library(tmp_path) as library:
        library.sync()
        assert _leads(library, "apps/web/src/main.ts") == {
            "libs/shared/src/date.ts",
            "libs/shared/src/date.ts#today",
            "libs/tools/index.ts",
            "libs/tools/index.ts#mend",
            "apps/lost/lost.ts",
            "apps/lost/lost.ts#lost",
        }
        assert _leads(library, "apps/based/src/main.js") == {
            "apps/based/src/util.js",
            "apps/based/src/util.js#cut",
            "apps/based/src/lib/pad.js",
            "apps/based/src/lib/pad.js#pad",
        }
        # Where nothing is mapped, what is left behind the alias must be the end of one path.
        assert _leads(library, "apps/plain/main.ts") == {"libs/shared/src/date.ts", "libs/shared/src/date.ts#today"}
        assert _leads(library, "apps/bad/main.ts") == set()
        assert _leads(library, "apps/round/main.jsx") == {"apps/round/own.ts", "apps/round/own.ts#own"}


def test_a_changed_configuration_is_followed_as_if_all_was_read_anew(tmp_path: Path) -> None:
    write_tree(tmp_path, FILES)
    with open_library(tmp_path) as library:
        library.sync()
        write_tree(tmp_path, {"apps/plain/tsconfig.json": '{"extends": "../../tsconfig.base.json"}'})
        library.sync(paths=["apps/plain/tsconfig.json"])
        assert _leads(library, "apps/plain/main.ts") >= {"libs/tools/index.ts", "libs/tools/index.ts#mend"}
        before = {path: _leads(library, path) for path in FILES if path.endswith((".ts", ".jsx"))}
        library.sync(rebuild=True)
        assert before == {path: _leads(library, path) for path in before}
        assert library.sync().put == ()


def test_a_configuration_that_thousands_extend_costs_what_stands_in_the_files() -> None:
    deep = "/".join(["d" * 200] * 3)
    shared = {f"@{number}/*": ["${configDir}/*", "${configDir}/src/*"] for number in range(1000)}
    own = {f"@{number}/*": ["./*"] for number in range(1000)}
    files = {"shared.json": json.dumps({"compilerOptions": {"paths": shared}}).encode()}
    files |= {"own.json": json.dumps({"compilerOptions": {"paths": own}}).encode()}
    for number in range(1000):
        name = ("shared", "own")[number % 2]
        files[f"{deep}/{number}/tsconfig.json"] = b'{"extends": "../../../../%s"}' % name.encode()
    found = read_module_paths(files, files.get)
    assert len(found.text()) < 20_000_000
    assert len([one for one in found.tables if one]) > 2
