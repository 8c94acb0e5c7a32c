"""The headers of every answer: what a browser may do with it.

Nothing enters, headers leave. The page may load its own scripts, styles and pictures and nothing else; a document's
drawing may load and run nothing at all.
"""

from __future__ import annotations

from collections.abc import Mapping

_PAGE = (
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
)
_ASSET = ("default-src 'none'", "style-src 'unsafe-inline'", "sandbox", "frame-ancestors 'none'")
"""A drawing may carry its own style. With `sandbox` it has no origin and no scripts, also when opened by itself."""

_ALWAYS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}

PAGE: Mapping[str, str] = {**_ALWAYS, "Content-Security-Policy": "; ".join(_PAGE), "Cache-Control": "no-cache"}
ASSET: Mapping[str, str] = {**_ALWAYS, "Content-Security-Policy": "; ".join(_ASSET), "Cache-Control": "no-cache"}
