"""Look at an index thoroughly, and move one out of the way.

A folder enters; a sentence about what is wrong, or the new place of what was moved, leaves. Nothing is mended here: an
index is made again from its sources.
"""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path

from pinakes.errors import NotFound, StoreDamaged, StoreStrange
from pinakes.own_folder import OwnFolder
from pinakes.store.sqlite.connection import translate_read_errors
from pinakes.store.sqlite.invariants import first_finding
from pinakes.store.sqlite.lock import WriteLock
from pinakes.store.sqlite.open import connect, require
from pinakes.store.sqlite.raw import identity
from pinakes.store.sqlite.sums import NAME as SUMS
from pinakes.store.sqlite.trust import DATABASE, check_pages
from pinakes.store.sqlite.trust import NAME as SEAL


def damage(folder: OwnFolder) -> str:
    """What is wrong with the index in `folder`, after reading all of it; empty when it is sound or there is none.

    Raises `StoreError` when that cannot be told: nobody may read it, or a newer Pinakes wrote it.
    """
    try:
        require(folder)
        connection = connect(folder, WriteLock(folder), read_only=True, trusting=True)
    except NotFound:
        return ""
    except StoreDamaged as error:
        return error.problem
    try:
        with translate_read_errors(folder.path / DATABASE):
            with connection.snapshot():
                finding = first_finding(connection)
            if not finding:
                check_pages(folder, WriteLock(folder))  # whatever the time of the file says: disks forget, too
        return finding
    except StoreDamaged as error:
        return error.problem
    finally:
        connection.close()


_ASIDE = "set-aside-"
_FILES = (f"{DATABASE}-wal", f"{DATABASE}-shm", DATABASE, SUMS, SEAL)
"""In the order in which they are moved, the seal last: until it is gone too, the missing database is noticed."""


def set_aside(folder: OwnFolder, only: tuple[int, int] | None = None) -> Path | None:
    """Give the database and what belongs to it another name, so that a new one can be made; returns where it is now.

    Only the last one is kept: it is there to be looked into, and everything in it can be read again. Where another
    database than `only` is found, or nothing at all, somebody else was faster: nothing is done, and nothing returned.
    """
    with translate_read_errors(folder.path / DATABASE), WriteLock(folder).held(wait_s=30.0):
        if only is not None and identity(folder, DATABASE) != only:
            return None
        found = [name for name in _FILES if os.path.lexists(folder.path / name)]
        if not found:  # whoever rebuilds the index has moved it away, and makes the new one next
            return None
        before = [name for name in folder.names()[0] if name.startswith(_ASIDE)]
        moment = datetime.now().strftime("%Y%m%d-%H%M%S")
        aside, attempt = folder.folder(f"{_ASIDE}{moment}"), 1
        while os.path.lexists(aside.path):
            attempt += 1
            aside = folder.folder(f"{_ASIDE}{moment}-{attempt}")
        aside.make()
        for name in found:
            try:
                folder.move(name, aside, name, durable=False)
            except FileNotFoundError:
                continue
            except StoreStrange:
                folder.remove(name)  # nothing of ours, and where it leads to is left alone
        for older in before:
            folder.remove_tree(older)
        return aside.path


def database_identity(folder: OwnFolder) -> tuple[int, int]:
    """Device and inode of the database in `folder`, which tell it from another that takes its place."""
    return identity(folder, DATABASE)
