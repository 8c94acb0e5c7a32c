"""The HTTP door: requests enter, one call of a library is made, its record leaves as JSON, text or a stream of events.

Imported only by `pinakes serve`; everything that decides anything is below the library.
"""

from pinakes.serve.http.app import create_app
from pinakes.serve.http.base_path import normal_base_path
from pinakes.serve.http.options import ServeOptions
from pinakes.serve.http.server import listen_at, serve

__all__ = ["ServeOptions", "create_app", "listen_at", "normal_base_path", "serve"]
