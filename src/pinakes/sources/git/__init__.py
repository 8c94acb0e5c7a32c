"""What was changed, when and why?

`GitSource` lists the commits of the repositories below some folders and hands each out as bytes. Git is only ever lent
a repository's objects (see `command`), so that nothing a repository says about itself can run.
"""

from pinakes.sources.git.source import GitSource

__all__ = ["GitSource"]
