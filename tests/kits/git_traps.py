"""Repositories that came from somewhere else and try to run something.

Each trap names a program that leaves a marker behind. Where an ordinary git command springs the trap, it is sprung
first in a copy, so that a trap that would never have worked fails the test.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from kits.git import Repo
from kits.hostile import SECRET
from kits.trees import write_tree


@dataclass(frozen=True)
class Trap:
    """Something planted in a repository."""

    plant: Callable[[Repo, Path, Path], None]
    """Given the repository, the program that leaves the marker, and the marker."""
    spring: tuple[tuple[str, ...], ...] = ()
    """Git commands of which at least one sets it off; none where present versions of git are not taken in any more."""
    environment: Mapping[str, str] = field(default_factory=dict)
    """What the user's own environment says; ``{program}`` and ``{marker}`` are filled in."""


def config(*settings: str) -> Callable[[Repo, Path, Path], None]:
    """Settings of the repository, each ``name=value``; ``{program}`` is the one that leaves the marker."""

    def plant(repo: Repo, program: Path, marker: Path) -> None:
        for setting in settings:
            name, _, value = setting.partition("=")
            repo.git("config", "--add", name, value.format(program=program, marker=marker))

    return plant


def files(tree: Mapping[str, str], *settings: str) -> Callable[[Repo, Path, Path], None]:
    """Files, most of them in git's own folder, and settings."""

    def plant(repo: Repo, program: Path, marker: Path) -> None:
        write_tree(repo.folder, {name: text.format(program=program, marker=marker) for name, text in tree.items()})
        for name in tree:
            (repo.folder / name).chmod(0o755)
        config(*settings)(repo, program, marker)

    return plant


def hooks(repo: Repo, program: Path, marker: Path) -> None:
    names = ("post-checkout", "post-index-change", "reference-transaction", "pre-auto-gc", "post-rewrite")
    for name in names:
        hook = repo.folder / ".git/hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\nexec {program}\n")
        hook.chmod(0o755)


def replaced(repo: Repo, program: Path, marker: Path) -> None:
    """A commit that says something else than it says."""
    wrong = repo.git("commit-tree", "-m", f"{SECRET} instead", "HEAD^{tree}")
    repo.git("replace", "HEAD", wrong)


def grafted(repo: Repo, program: Path, marker: Path) -> None:
    """A parent the last commit never had."""
    wrong = repo.git("commit-tree", "-m", f"{SECRET} before", "HEAD^{tree}")
    write_tree(repo.folder, {".git/info/grafts": f"{repo.head()} {wrong}\n"})


def planted_bare(repo: Repo, program: Path, marker: Path) -> None:
    """A bare repository among the files, with a monitor of its own, and a commit that nobody made."""
    bare = Repo(repo.folder / "vendor/thing", "--bare")
    value = bare.git("commit-tree", "-m", SECRET, bare.git("mktree"))
    bare.git("update-ref", "refs/heads/main", value)
    bare.git("config", "core.fsmonitor", str(program))
    bare.git("config", "core.worktree", str(repo.folder))


def planted_submodule(repo: Repo, program: Path, marker: Path) -> None:
    """A submodule whose own repository is set as a trap, and whose address is a command."""
    inner = Repo(repo.folder / "sub")
    inner.commit("the inner one", {"a": "1"})
    shutil.move(inner.folder / ".git", repo.folder / ".git/modules-sub")
    (inner.folder / ".git").write_text("gitdir: ../.git/modules-sub\n")
    inner.git("config", "core.fsmonitor", str(program))
    inner.git("config", "diff.external", str(program))
    module = '[submodule "sub"]\n\tpath = sub\n\turl = ext::{0}\n\tupdate = !{0}\n'
    write_tree(repo.folder, {".gitmodules": module.format(program)})


def options(repo: Repo, program: Path, marker: Path) -> None:
    """Refs and files that look like options."""
    value = repo.head()
    for name in ("--output=marker", "--upload-pack=touch marker", "-x", "--help", "--exec=touch${IFS}marker"):
        path = repo.folder / ".git/refs/heads" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{value}\n")
    with (repo.folder / ".git/packed-refs").open("a") as packed:
        packed.write(f"{value} refs/tags/--output={marker}\n--output={marker} refs/heads/odd\n")
    (repo.folder / ".git/refs/tags/odd").write_text(f"--output={marker}\n")
    (repo.folder / ".git/HEAD").write_text(f"--output={marker}\n")
    tree = {
        f"--output={marker.name}": "1",
        "-rf": "1",
        "--no-index": "1",
        "$(touch marker)": "1",
        "`touch marker`": "1",
    }
    write_tree(repo.folder, tree)


def promised(repo: Repo, program: Path, marker: Path) -> None:
    """A partial clone whose missing contents would be fetched by a command."""
    config(
        "core.repositoryFormatVersion=1",
        "extensions.partialClone=origin",
        "remote.origin.promisor=true",
        "remote.origin.url=ext::{program}",
        "protocol.ext.allow=always",
    )(repo, program, marker)
    blob = repo.git("rev-parse", "HEAD:field/plan.md")
    (repo.folder / ".git/objects" / blob[:2] / blob[2:]).unlink()


def signed(repo: Repo, program: Path, marker: Path) -> None:
    config("gpg.program={program}", "log.showSignature=true", "gpg.format=openpgp")(repo, program, marker)
    head = repo.git("cat-file", "commit", "HEAD")
    facts, _, message = head.partition("\n\n")
    made = f"{facts}\ngpgsig -----BEGIN PGP SIGNATURE-----\n \n x\n -----END PGP SIGNATURE-----\n\n{message}\n"
    value = repo.git("hash-object", "-t", "commit", "-w", "--stdin", stdin=made.encode())
    repo.git("update-ref", "refs/heads/signed", value)


def on_the_path(repo: Repo, program: Path, marker: Path) -> None:
    """A program called git where a careless search for programs would find it first."""
    for name in ("git", "git-diff-tree", "git-rev-list", "git.exe", "git.bat"):
        shutil.copy(program, repo.folder / name)


ATTRIBUTES = "*.md diff=trap filter=trap merge=trap\n*.txt diff=trap filter=trap\n"

TRAPS = {
    "core.fsmonitor": Trap(config("core.fsmonitor={program}"), (("status",),)),
    "core.hooksPath": Trap(
        files({"evil/post-index-change": "#!/bin/sh\nexec {program}\n"}, "core.hooksPath=evil"),
        (("update-index", "--refresh"), ("checkout", "-q", "--", ".")),
    ),
    "hooks": Trap(hooks, (("checkout", "-q", "-b", "x"),)),
    "core.pager": Trap(config("core.pager={program}", "pager.log={program}", "pager.diff={program}")),
    "diff.external": Trap(config("diff.external={program}"), (("diff", "HEAD~1"),)),
    "diff command by attribute": Trap(
        files({".gitattributes": ATTRIBUTES, ".git/info/attributes": ATTRIBUTES}, "diff.trap.command={program}"),
        (("diff", "HEAD~1"),),
    ),
    "textconv": Trap(
        files({".gitattributes": ATTRIBUTES, ".git/info/attributes": ATTRIBUTES}, "diff.trap.textconv={program}"),
        (("log", "-p"),),
    ),
    "clean and smudge": Trap(
        files(
            {".git/info/attributes": ATTRIBUTES},
            "filter.trap.clean={program}",
            "filter.trap.smudge={program}",
            "filter.trap.process={program}",
            "filter.trap.required=true",
        ),
        (("checkout-index", "-f", "-a"), ("add", "--renormalize", ".")),
    ),
    "core.attributesFile": Trap(
        files({"attributes": ATTRIBUTES}, "core.attributesFile=attributes", "diff.trap.textconv={program}"),
        (("log", "-p"),),
    ),
    "merge driver": Trap(files({".git/info/attributes": ATTRIBUTES}, "merge.trap.driver={program} %O %A %B")),
    "aliases": Trap(
        config(
            *[f"alias.{name}=!{{program}}" for name in ("log", "rev-list", "diff-tree", "cat-file", "trap", "status")]
        ),
        (("trap",),),
    ),
    "gpg.program": Trap(signed, (("log", "signed"),)),
    "gpg.ssh": Trap(config("gpg.format=ssh", "gpg.ssh.program={program}", "gpg.ssh.defaultKeyCommand={program}")),
    "core.sshCommand": Trap(
        config(
            "core.sshCommand={program}", "remote.origin.url=ssh://example.invalid/x", "fetch.recurseSubmodules=true"
        ),
        (("fetch", "-q"),),
    ),
    "promisor remote": Trap(promised, (("log", "-p"),)),
    "replace refs": Trap(replaced, (("log", "-1"),)),
    "grafts": Trap(grafted),
    "submodule": Trap(planted_submodule),
    "bare repository": Trap(planted_bare),
    "refs and files like options": Trap(options),
    "include.path": Trap(
        files(
            {"evil.conf": "[core]\n\tfsmonitor = {program}\n[diff]\n\texternal = {program}\n"},
            "include.path=../evil.conf",
        ),
        (("status",),),
    ),
    "includeIf": Trap(
        files({".git/evil": "[diff]\n\texternal = {program}\n"}, "includeIf.gitdir:**.path=evil"), (("diff", "HEAD~1"),)
    ),
    "config.worktree": Trap(
        files(
            {".git/config.worktree": "[core]\n\tfsmonitor = {program}\n"},
            "core.repositoryFormatVersion=1",
            "extensions.worktreeConfig=true",
        ),
        (("status",),),
    ),
    "core.alternateRefsCommand": Trap(
        files({".git/objects/info/alternates": ""}, "core.alternateRefsCommand={program}", "remote.origin.url=.")
    ),
    "trace2 targets": Trap(
        config("trace2.eventTarget={marker}", "trace2.normalTarget={marker}", "trace2.perfTarget={marker}")
    ),
    "credential.helper": Trap(
        config("credential.helper=!{program}", "core.askPass={program}", "remote.origin.url=https://127.0.0.1:1/x")
    ),
    "core.editor": Trap(config("core.editor={program}", "sequence.editor={program}")),
    "core.worktree": Trap(config("core.worktree=/", "core.bare=false")),
    "core.gitProxy": Trap(
        config("core.gitProxy={program}", "remote.origin.url=git://127.0.0.1:1/x", "remote.origin.vcs=trap")
    ),
    "uploadpack hook": Trap(config("uploadpack.packObjectsHook={program}", "remote.origin.uploadpack={program}")),
    "interactive.diffFilter": Trap(config("interactive.diffFilter={program}", "difftool.x.cmd={program}")),
    "index.skipHash and a split index": Trap(files({".git/index": "not an index", ".git/sharedindex.0": "x"})),
    "commit-graph": Trap(files({".git/objects/info/commit-graph": "CGPH nonsense"})),
    "templates": Trap(config("init.templateDir={program}", "core.excludesFile={program}")),
    "a git among the files": Trap(on_the_path, environment={"PATH": f".:./:{os.environ['PATH']}"}),
    "the user's environment": Trap(
        config(),
        (("diff", "HEAD~1"),),
        {
            "GIT_EXTERNAL_DIFF": "{program}",
            "GIT_PAGER": "{program}",
            "PAGER": "{program}",
            "GIT_TRACE": "{marker}",
            "GIT_TRACE2_EVENT": "{marker}",
            "GIT_SSH_COMMAND": "{program}",
            "GIT_ASKPASS": "{program}",
            "GIT_EDITOR": "{program}",
            "GIT_PROXY_COMMAND": "{program}",
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": "diff.external",
            "GIT_CONFIG_VALUE_0": "{program}",
            "GIT_TEMPLATE_DIR": "{program}",
        },
    ),
}


def set_trap(name: str, repo: Repo, beside: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Plant a trap and show in a copy that it works; the marker that it leaves when it goes off."""
    trap = TRAPS[name]
    marker = beside / "marker"
    program = beside / "trap.sh"
    program.write_text(f"#!/bin/sh\necho sprung >> {marker}\nexit 0\n")
    program.chmod(0o755)
    trap.plant(repo, program, marker)
    for variable, value in trap.environment.items():
        monkeypatch.setenv(variable, value.format(program=program, marker=marker))
    if trap.spring:
        _spring(trap, repo, beside, marker)
    return marker


def _spring(trap: Trap, repo: Repo, tmp_path: Path, marker: Path) -> None:
    """Show in a copy that the trap works."""
    copy = Repo.__new__(Repo)
    copy.folder, copy.days = tmp_path / "copy", 9
    shutil.copytree(repo.folder, copy.folder, symlinks=True)
    said = ""
    inherited = {name: os.environ[name] for name in trap.environment}
    for words in trap.spring:
        said += copy.git(*words, check=False, env=inherited)
    assert marker.exists() or SECRET in said, f"this trap was never set: {said}"
    shutil.rmtree(copy.folder)
    marker.unlink(missing_ok=True)
