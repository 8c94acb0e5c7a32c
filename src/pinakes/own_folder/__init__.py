"""The one way to a file of ours. `OwnFolder` is a folder of ours, reached without following a link."""

from pinakes.own_folder.folder import OwnEntry, OwnFolder

__all__ = ["OwnEntry", "OwnFolder"]
