"""Which pages a documentation site has, by what it says of itself, and which of them may be fetched.

Texts of a site enter (robots.txt, llms.txt, sitemap.xml, pages); addresses leave. Only addresses on the same host and
below the folder of the address that was given are taken: nothing leads elsewhere. Fetching is settled elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from itertools import islice
from urllib.parse import unquote, urldefrag, urljoin, urlsplit
from urllib.robotparser import RobotFileParser

from pinakes.added.urls import Url, read_url
from pinakes.errors import Refused

AGENT = "pinakes"
_LONGEST_DELAY_S = 30.0
_MOST_RULES = 5_000
"""Lines of a robots.txt: each page is compared with all of them."""
_MOST_LINKS = 20_000
"""Addresses that are taken from one text."""
_HREF = re.compile(
    r"""<a\b[^<>]{0,2000}?\bhref\s*=\s*(?:"([^"<>]{1,2000})"|'([^'<>]{1,2000})'|([^\s"'<>]{1,2000}))""", re.IGNORECASE
)
_MARKDOWN = re.compile(r"\]\(\s*<?([^\s()<>]{1,2000})")
_LOCATION = re.compile(r"<loc>([^<>]{1,4000})</loc>", re.IGNORECASE)
"""With the blanks around the address: looked for here, they would cost their number to the power of three."""
_OTHER_FILES = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|ico|css|js|mjs|map|json|xml|zip|gz|tgz|whl|exe|dmg|mp4|webm|mp3|woff2?|ttf|atom|rss)\Z",
    re.IGNORECASE,
)
"""Endings of what is no page."""


class SiteScope:
    """What belongs to a site: its host, and the folder that the address lies in."""

    def __init__(self, start: Url) -> None:
        self.start = start
        self.origin = f"{start.scheme}://{start.authority}"
        self.folder = start.target.partition("?")[0].rpartition("/")[0] + "/"

    def page(self, address: str, base: str) -> str:
        """An address of a page of the site as it is asked for; empty for any other."""
        try:
            joined = urldefrag(urljoin(base, unescape(address.strip()))).url
            url = read_url(joined)
        except (Refused, ValueError):
            return ""
        path = url.target.partition("?")[0]
        is_ours = f"{url.scheme}://{url.authority}" == self.origin and path.startswith(self.folder)
        is_up = "/../" in f"{path}/" or "%2e%2e" in path.lower()
        return str(url) if is_ours and not is_up and not _OTHER_FILES.search(path) else ""

    def places(self, name: str) -> list[str]:
        """Where a file of the whole site may lie: in its folder, and at the root of its host."""
        return list(dict.fromkeys((f"{self.origin}{self.folder}{name}", f"{self.origin}/{name}")))


class Robots:
    """What a host asks of programs."""

    def __init__(self, text: str) -> None:
        self._parser = RobotFileParser()
        self._parser.parse(filter(_is_readable, text.splitlines()[:_MOST_RULES]))

    def allows(self, url: str) -> bool:
        """Whether a page may be fetched."""
        parts = urlsplit(url)
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        return _is_address(path) and self._parser.can_fetch(AGENT, path)

    @property
    def delay_s(self) -> float:
        """How long it asks to wait between two pages; 0 where it asks nothing."""
        delay = self._parser.crawl_delay(AGENT)
        return min(float(delay), _LONGEST_DELAY_S) if delay else 0.0

    @property
    def sitemaps(self) -> list[str]:
        """Where it says that its sitemaps lie."""
        return list(self._parser.site_maps() or ())[:20]


def _is_readable(line: str) -> bool:
    """Whether the standard library can read a line of robots.txt; it raises on some that cannot be meant."""
    name, _, value = line.partition("#")[0].partition(":")
    if name.strip().lower() in ("crawl-delay", "request-rate"):
        return value.isascii() and len(value) < 10
    return _is_address(value.strip())


def _is_address(path: str) -> bool:
    try:
        urlsplit(unquote(path))
    except ValueError:  # as of a path that begins with //[
        return False
    return True


def linked_pages(html: str, base: str, scope: SiteScope) -> Iterator[str]:
    """The pages that a web page links to."""
    for position, found in enumerate(_HREF.finditer(html)):
        if position >= _MOST_LINKS:
            return
        if page := scope.page(found[1] or found[2] or found[3], base):
            yield page


def listed_pages(markdown: str, base: str, scope: SiteScope) -> list[str]:
    """The pages that an ``llms.txt`` lists."""
    found = (scope.page(one[1], base) for one in _MARKDOWN.finditer(markdown))
    return list(dict.fromkeys(filter(None, found)))[:_MOST_LINKS]


def _joined(base: str, place: str) -> str:
    """An address as a page at `base` means it; empty for one that is none."""
    try:
        return urljoin(base, place)
    except ValueError:  # brackets that hold no address
        return ""


def mapped_pages(xml: str, base: str, scope: SiteScope) -> tuple[list[str], list[str]]:
    """The pages of a sitemap, and the further sitemaps that it names."""
    places = [unescape(one[1].strip()) for one in islice(_LOCATION.finditer(xml), _MOST_LINKS)]
    if "<sitemapindex" in xml[:2_000]:
        return [], [joined for one in places if (joined := _joined(base, one))]
    return list(dict.fromkeys(filter(None, (scope.page(one, base) for one in places)))), []
