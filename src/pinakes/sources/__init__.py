"""Where does text come from?

A source lists what there is (`scan`), hands out the bytes of one document (`read`) and says why a file is or is not
among them (`why`). Sources never parse and never write.
"""

from pinakes.sources.folder import FolderSource
from pinakes.sources.git import GitSource
from pinakes.sources.options import CodeOptions, FolderOptions, HistoryOptions, RootOptions, WatchOptions

__all__ = ["CodeOptions", "FolderOptions", "FolderSource", "GitSource", "HistoryOptions", "RootOptions", "WatchOptions"]
