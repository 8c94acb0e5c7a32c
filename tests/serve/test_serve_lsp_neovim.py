"""`pinakes lsp` in an editor that others wrote: Neovim, where it is installed."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from kits.trees import write_tree
from kits.waiting import HANG_S

pytest.importorskip("pygls")
pytest.importorskip("tree_sitter_python")

NEOVIM = shutil.which("nvim") or ""
FILES = {
    "pinakes.toml": "[code]\nenabled = true\n",
    "index.md": "# Start\n\nSee [tokens](guide/auth.md#tokens) and [gone](guide/auht.md).\n\nA `make()` makes.\n",
    "guide/auth.md": "# Auth\n\n## Tokens\n\nThey expire.\n",
    "src/shop.py": 'def make():\n    """Makes."""\n',
}
SCRIPT = """
local command, target, wait = %s, '%s', %d
local here = vim.fn.getcwd()
local options = {
  name = 'pinakes', cmd = command, root_dir = here,
  workspace_folders = { { uri = vim.uri_from_fname(here), name = 'here' } },
}
vim.cmd('edit index.md')
local client = (vim.lsp.start or vim.lsp.start_client)(options)
vim.lsp.buf_attach_client(0, client)

local function ask(method, line, column, more)
  local params = { textDocument = { uri = vim.uri_from_bufnr(0) }, position = { line = line, character = column } }
  for key, value in pairs(more or {}) do params[key] = value end
  for _, answer in pairs(vim.lsp.buf_request_sync(0, 'textDocument/' .. method, params, wait) or {}) do
    return answer.result
  end
end

local found = {}
vim.wait(wait, function() return #vim.diagnostic.get(0) > 0 end, 50)
found.wrong = vim.tbl_map(function(one) return { one.lnum, one.message } end, vim.diagnostic.get(0))
vim.wait(wait, function() local named = ask('definition', 4, 5); return named and #named > 0 end, 50)
found.link = ask('definition', 2, 6)[1].targetUri
found.name = ask('definition', 4, 5)[1].targetUri
found.hover = ask('hover', 4, 5).contents.value
vim.lsp.util.apply_workspace_edit(ask('rename', 2, 6, { newName = 'Keys' }), 'utf-16')
found.here = vim.api.nvim_buf_get_lines(0, 2, 3, false)[1]
found.there = vim.api.nvim_buf_get_lines(vim.fn.bufnr('guide/auth.md'), 2, 3, false)[1]
vim.fn.writefile({ vim.fn.json_encode(found) }, target)
vim.lsp.stop_client(client)
vim.cmd('qa!')
"""


@pytest.mark.skipif(not NEOVIM, reason="Neovim is not installed")
def test_neovim_shows_follows_and_renames(tmp_path: Path) -> None:
    root, answer = write_tree(tmp_path / "project", FILES), tmp_path / "answer.json"
    command = "{ '" + "', '".join((sys.executable, "-m", "pinakes", "lsp")) + "' }"
    script = tmp_path / "script.lua"
    script.write_text(SCRIPT % (command, answer, HANG_S * 1000), encoding="utf-8")
    editor = [NEOVIM, "--headless", "-u", "NONE", "-i", "NONE", "-c", f"luafile {script}"]
    its_own = {f"XDG_{name}_HOME": str(tmp_path / name) for name in ("CACHE", "STATE", "DATA")}  # its logs
    done = subprocess.run(
        editor, cwd=root, env={**os.environ, **its_own}, capture_output=True, text=True, timeout=4 * HANG_S
    )
    assert answer.exists(), done.stdout + done.stderr
    found = json.loads(answer.read_text(encoding="utf-8"))
    assert found["wrong"] == [[2, "“guide/auht.md” does not exist (did you mean guide/auth.md?)"]]
    assert found["link"] == (root / "guide" / "auth.md").as_uri()
    assert found["name"] == (root / "src" / "shop.py").as_uri()
    assert found["hover"].startswith('```python\ndef make():\n    """Makes."""\n```')
    assert found["here"] == "See [tokens](guide/auth.md#keys) and [gone](guide/auht.md)."
    assert found["there"] == "## Keys"
