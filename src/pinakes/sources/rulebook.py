"""Which ignore files speak about a folder.

A folder on disk enters, the ordered rules that judge what is in it leave. Strongest first: the `exclude` option; every
``.pinakesignore`` from the folder up to the root; every ``.gitignore`` likewise, and on to the top of the repository
when the root lies inside one; ``info/exclude`` of the repositories on the way. The first rule that speaks decides.

It never runs git and never reads its configuration, so a user's global ignore file and the list of tracked files play
no part. Ignore files that are symbolic links are not read, as in git.

For source code there are two weaker layers: what ``.gitattributes`` calls ``linguist-generated`` or
``linguist-vendored``, and names that only programs give.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection
from typing import NamedTuple

from pinakes.sources.ignore import Rule, Rules, as_bytes, read_rules, rules_of
from pinakes.sources.inside import read_plain

GITIGNORE = ".gitignore"
OURS = ".pinakesignore"
GIT = ".git"
ATTRIBUTES = ".gitattributes"
MARKERS = frozenset((GITIGNORE, OURS, GIT, ATTRIBUTES))
"""Names whose presence changes the rules of a folder."""

_MOST_BYTES = 200_000
"""Of an ignore file. Real ones hold a few thousand; a hostile one would cost seconds to compile."""
_POINTER_BYTES = 4_096
"""Of the files that say where a worktree's repository is."""


class ScanProblem(NamedTuple):
    """An ignore file that could not be used."""

    path: str
    reason: str


class RuleFiles(NamedTuple):
    """Where ignore files are read."""

    read: Callable[[str, int], bytes | None] = read_plain
    """Takes a whole path and the most bytes; as `read_plain`."""
    has_repositories: bool = True
    """Whether git's own folders lie there, with an exclude file of their own."""


ON_DISK = RuleFiles()


class Rulebook(NamedTuple):
    """The rules of one folder."""

    order: tuple[Rules, ...] = ()
    """All of the layers below, strongest first."""
    options: tuple[Rules, ...] = ()
    ours: tuple[Rules, ...] = ()
    git: tuple[Rules, ...] = ()
    info: tuple[Rules, ...] = ()
    generated: tuple[Rules, ...] | None = None
    """None where it does not matter who made a file."""

    def ignoring_file(self, name: str, path: str) -> Rule | None:
        """The rule that ignores this file, if one does."""
        name, path = as_bytes(name), as_bytes(path)
        for rules in self.order:
            if (rule := rules.of_file(name, path)) is not None:
                return None if rule.keeps else rule
        return None

    def ignoring_folder(self, name: str, path: str) -> Rule | None:
        """The rule that ignores this folder, if one does; nothing below an ignored folder is looked at."""
        name, path = as_bytes(name), as_bytes(path)
        for rules in self.order:
            if (rule := rules.of_folder(name, path)) is not None:
                return None if rule.keeps else rule
        return None

    def _with(
        self,
        ours: tuple[Rules, ...],
        git: tuple[Rules, ...],
        info: tuple[Rules, ...],
        made: tuple[Rules, ...] = (),
    ) -> Rulebook:
        ours, git, info = ours + self.ours, git + self.git, info + self.info
        generated = made + self.generated if self.generated is not None else None
        order = self.options + ours + git + info + (generated or ())
        return Rulebook(order, self.options, ours, git, info, generated)


def rulebook_above(
    root: str,
    exclude: Collection[str],
    generated: Collection[str] | None = None,
    above: Collection[str] | None = None,
    files: RuleFiles = ON_DISK,
) -> Rulebook:
    """The rules that hold before the root itself is opened. With `generated`, patterns of files that programs make,
    such files are left out, and those that attributes call so. `above` are the folders from the top of the repository
    down to the root, where they are known."""
    options = (Rules(rules_of(exclude, "the exclude option")),) if exclude else ()
    book = Rulebook(options, options)
    if generated is not None:
        built_in = (Rules(rules_of(generated, "the rule for generated files")),)
        book = Rulebook(options + built_in, options, generated=built_in)
    for folder in folders_above(root) if above is None else above:
        inner = os.path.relpath(root, folder).replace(os.sep, "/") + "/"
        ignoring, named = os.path.join(folder, GITIGNORE), os.path.join(folder, ATTRIBUTES)
        git = _placed(_rules_at(ignoring, ignoring, [], files), above=inner)
        made: tuple[Rules, ...] = ()
        if generated is not None:
            made = _placed(_rules_at(named, named, [], files, _made_by_programs), above=inner)
        info = _info_of(folder, folder, folder, [], above=inner) if files.has_repositories else ()
        book = book._with((), git, info, made)
    return book


def rulebook_in(
    book: Rulebook,
    root: str,
    path: str,
    names: Collection[str],
    problems: list[ScanProblem],
    files: RuleFiles = ON_DISK,
) -> Rulebook:
    """The rules inside the folder `path` (empty, or ending with a slash) that holds the marker files `names`."""
    folder = os.path.join(root, path) if path else root
    ours, git = (
        _placed(_rules_at(os.path.join(folder, name), path + name, problems, files), below=path)
        if name in names
        else ()
        for name in (OURS, GITIGNORE)
    )
    made: tuple[Rules, ...] = ()
    if ATTRIBUTES in names and book.generated is not None:
        named = os.path.join(folder, ATTRIBUTES)
        made = _placed(_rules_at(named, path + ATTRIBUTES, problems, files, _made_by_programs), below=path)
    has_info = GIT in names and files.has_repositories
    return book._with(ours, git, _info_of(root, folder, path, problems, below=path) if has_info else (), made)


def _made_by_programs(data: bytes, where: str) -> tuple[Rule, ...]:
    """The lines of an attribute file that call files generated or vendored, as rules that leave them out."""
    lines = []
    for line in data.split(b"\n"):
        pattern, *words = line.split()[:100] or [b""]
        said = [word for word in words if _LINGUIST.fullmatch(word)]
        is_no = bool(said) and (said[-1][:1] in b"-!" or said[-1].endswith((b"=false", b"=0")))
        lines.append((b"!" if is_no else b"") + pattern if said and pattern[:1] not in b"#!" else b"")
    return read_rules(b"\n".join(lines), where)


_LINGUIST = re.compile(rb"[-!]?linguist-(?:generated|vendored)(?:=\w+)?")


def _rules_at(
    file: str,
    where: str,
    problems: list[ScanProblem],
    files: RuleFiles = ON_DISK,
    read: Callable[[bytes, str], tuple[Rule, ...]] = read_rules,
) -> tuple[Rule, ...]:
    """The rules of an ignore file, if it is there and has any; why it is not used goes to `problems`."""
    try:
        data = files.read(file, _MOST_BYTES)
        fault = f"it holds more than {_MOST_BYTES:,} bytes" if data is None else ""
    except FileNotFoundError:
        return ()
    except OSError as error:
        data, fault = None, str(error.strerror)
    if data is None:
        problems.append(ScanProblem(where, f"This ignore file was not used: {fault}."))
        return ()
    return read(data, where)


def _placed(rules: tuple[Rule, ...], *, above: str = "", below: str = "") -> tuple[Rules, ...]:
    """One layer of rules, if there are any."""
    return (Rules(rules, above=above, below=below),) if rules else ()


def _info_of(
    root: str, folder: str, path: str, problems: list[ScanProblem], *, above: str = "", below: str = ""
) -> tuple[Rules, ...]:
    info = _info_folder(root, folder)
    if info is None:
        return ()
    rules = _rules_at(os.path.join(info, "exclude"), f"{path}{GIT}/info/exclude", problems)
    return _placed(rules, above=above, below=below)


def _info_folder(root: str, folder: str) -> str | None:
    """The folder with the exclude file of the repository that `.git` in `folder` is or leads to.

    A `.git` may be a file that names a folder anywhere, and whoever wrote it need not be the user. Outside of the root
    only a repository is believed that says in turn that `folder` is one of its worktrees.
    """
    git = os.path.join(folder, GIT)
    store = git if os.path.isdir(git) else _pointed_at(git, folder, b"gitdir:")
    if store is None or not (store == git or os.path.isfile(os.path.join(store, "HEAD"))):
        return None
    common = _pointed_at(os.path.join(store, "commondir"), store, b"") or store
    info = os.path.realpath(os.path.join(common, "info"))
    if _is_inside(info, root) or (_is_worktree_of(git, store) and _is_inside(info, os.path.realpath(common))):
        return info
    return None


def _is_worktree_of(git: str, store: str) -> bool:
    back = _pointed_at(os.path.join(store, "gitdir"), store, b"")
    return back is not None and os.path.realpath(back) == os.path.realpath(git) and not os.path.islink(git)


def _is_inside(path: str, folder: str) -> bool:
    return path.startswith(folder.rstrip(os.sep) + os.sep)


def _pointed_at(file: str, base: str, prefix: bytes) -> str | None:
    try:
        data = read_plain(file, _POINTER_BYTES)
    except OSError:
        return None
    if data is None or not data.startswith(prefix) or b"\0" in data:
        return None
    return os.path.join(base, os.fsdecode(data[len(prefix) :].strip()))


def folders_above(root: str) -> tuple[str, ...]:
    """The folders from the top of the repository down to just above the root; none when the root is no part of one."""
    passed: list[str] = []
    folder = root
    while not os.path.lexists(os.path.join(folder, GIT)):
        parent = os.path.dirname(folder)
        if parent == folder:
            return ()
        folder = parent
        passed.append(folder)
    return tuple(reversed(passed))
