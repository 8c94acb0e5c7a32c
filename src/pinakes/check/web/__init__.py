"""Which links to the web are dead?

Links of documents enter, findings leave. Each address is asked once, politely; answers are kept for some days. How an
address is asked is handed in: nothing here opens a connection.
"""

from pinakes.check.web.asking import AskAddress, Politeness, ask_all
from pinakes.check.web.cache import WebCache
from pinakes.check.web.judging import accepted_codes, web_findings
from pinakes.check.web.links import WebLink, web_links

__all__ = [
    "AskAddress",
    "Politeness",
    "WebCache",
    "WebLink",
    "accepted_codes",
    "ask_all",
    "web_findings",
    "web_links",
]
