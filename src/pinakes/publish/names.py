"""What are published files called?

Paths of documents enter; places below the published folder leave, and the links between them. A document keeps the
name it has, so that relative links in its text go on working, unless that name is taken by a file of ours, is the same
as another's on a system that does not tell upper from lower case, or cannot be a name everywhere. Then it gets part of
its digest: the same name becomes the same place wherever it is published.
"""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterable
from hashlib import blake2b
from urllib.parse import quote

CHUNKS, KEYWORDS, INDEX, MAP, SPEC = "_chunks", "_keywords", "index.json", "map.txt", "topic-spec.md"
WORDS, CHUNK_WORDS = f"{KEYWORDS}/words.md", f"{KEYWORDS}/chunks.json"
RELATIONS, EMBEDDINGS = "_relations/documents.json", "_embeddings/chunks.json"
IN_TOPICS = frozenset((CHUNKS, KEYWORDS, "_relations", "_embeddings", INDEX, MAP, SPEC))
"""Names that mean something in every topic."""
IN_ROOT = frozenset(("schema.json", "prompts.json", "files.json", "search", "_pages"))
"""Names that mean something at the top besides."""
GIVE_WAY = ("index.html", "404.html", "sitemap.xml", "robots.txt", "llms.txt", "llms-full.txt")
"""Files that owners of documents write themselves: theirs is published under its own name, and ours is not."""
_ACTIVE = frozenset(
    """html htm xhtml xht shtml shtm stm mhtml mht xml xsl xslt rdf rss atom mml svgz js mjs wasm swf hta htc
    php php3 php4 php5 php7 php8 phtml phar asp aspx ashx jsp jspx cgi fcgi cfm""".split()  # noqa: SIM905 - a list of forty lines
)
"""Endings of files that a browser runs, or opens as pages that run something, and that servers run."""
_DRAWING = "svg"
_KNOWN = frozenset(("png", "jpg", "jpeg", "gif", "webp", "avif", "pdf", "txt", "csv", "json", "zip", "mp4", "md"))
"""Endings that every server knows, and that are no other file packed."""
_SETTINGS = frozenset(("_headers", "_redirects", "_worker.js", "_routes.json", "web.config"))
"""Names by which hosts of files take orders."""

LONGEST_NAME = 180
"""Bytes of a name; what is made from it must stay below the 255 that file systems take."""
LONGEST_PATH = 900
"""Bytes of a folder's path; deeper ones are brought to the top."""

_MARKUP = re.compile(r"[\\`\[\]<>|]|&(?=[a-z0-9#])|(?<=:)/(?=/)|(?<=\bwww)\.", re.IGNORECASE)
"""Signs of Markdown that make links, code, HTML, cells and letters; addresses become links in some readers, too."""
_UNSAFE = re.compile('[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff<>:"/\\\\|?*\u200b-\u200f\u202a-\u202e\u2066-\u2069]')
_PLAIN = re.compile(r"[A-Za-z0-9_.~/-]*")
_DEVICE = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|\Z)", re.IGNORECASE)
"""Names that one system gives to devices, with any ending."""


def safe_names(names: Iterable[str], taken: Iterable[str] = ()) -> dict[str, str]:
    """For each name in a folder the one it is published under, no two of them alike however a system folds them."""
    used = {folded(name) for name in taken}
    found: dict[str, str] = {}
    for name in sorted(set(names)):
        plain = _plain(name)
        seed = name
        if plain != name:
            plain = _marked(plain, seed)
        while folded(plain) in used:
            plain, seed = _marked(_plain(name), seed), f"{seed}~"
        used.add(folded(plain))
        found[name] = plain
    return found


def folder_places(folders: Iterable[str]) -> dict[str, str]:
    """For each folder of documents, and each on the way to one, the folder it is published as; the root is published as
    itself."""
    children: dict[str, set[str]] = {}
    for folder in sorted(set(folders)):
        parts = folder.split("/") if folder else []
        for depth, part in enumerate(parts):
            children.setdefault("/".join(parts[:depth]), set()).add(part)
    places = {"": ""}
    for parent in sorted(children, key=lambda path: (path.count("/"), path)):
        taken = IN_TOPICS if parent else IN_TOPICS | IN_ROOT
        for name, safe in safe_names(children[parent], taken).items():
            path = f"{parent}/{name}" if parent else name
            place = f"{places[parent]}/{safe}" if places[parent] else safe
            places[path] = place if len(place.encode()) <= LONGEST_PATH else f"deep~{_mark(path, 16)}"
    return places


def stem(name: str) -> str:
    """What the chunks of a document are called by: its name, without the ending that most have."""
    return name.removesuffix(".md") or name


def href(place: str, home: str, base_url: str) -> str:
    """The link to a place from a file in the folder `home`, or from anywhere when a base URL is given."""
    if base_url:
        return f"{base_url.rstrip('/')}/{_quoted(place)}"
    if not home:
        return _quoted(place)
    if place.startswith(f"{home}/"):
        return _quoted(place[len(home) + 1 :])
    return _quoted(posixpath.relpath(place, home))


def _quoted(path: str) -> str:
    # Colons too: one in front of any slash would make the beginning a scheme.
    return path if _PLAIN.fullmatch(path) else quote(path, safe="/~")


def ending(name: str) -> str:
    """What follows the last dot of a file's name, in lower case."""
    return name.rpartition("/")[2].rpartition(".")[2].lower()


def acts(path: str) -> bool:
    """Whether a browser or a server would do more with a file than to show it."""
    name = path.rpartition("/")[2].lower()
    return ending(name) in _ACTIVE or name in _SETTINGS or _acts_within(name)


def _acts_within(name: str) -> bool:
    """Servers that do not know the last ending of a name, or take it for one of a packed file, go by the one before."""
    *inner, last = name.lower().split(".")[1:] or [""]
    return last not in _KNOWN and any(one in _ACTIVE or one == _DRAWING for one in inner)


def joined(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name


def markdown_text(text: str) -> str:
    """A text as it may stand in a line or a table of Markdown: whatever is in it, it makes no link, no code and no HTML
    there."""
    return _MARKUP.sub(r"\\\g<0>", text)


def shown(path: str) -> str:
    """A path as JSON can hold it."""
    return path.encode("utf-8", "backslashreplace").decode()


def _plain(name: str) -> str:
    safe = _UNSAFE.sub("_", name).rstrip(". ") or "_"
    if _DEVICE.match(safe) or safe.startswith((".pinakes", "-")):
        safe = f"_{safe}"
    if _acts_within(safe):
        safe = safe.replace(".", "_", safe.count(".") - 1)
    if len(safe.encode()) <= LONGEST_NAME:
        return safe
    front, dot, ending = safe.rpartition(".")
    if not dot or len(ending.encode()) > 12:
        front, dot, ending = safe, "", ""
    return front.encode()[: LONGEST_NAME - 30].decode("utf-8", "ignore") + dot + ending


def _marked(plain: str, name: str) -> str:
    front, dot, ending = plain.rpartition(".")
    return f"{front}~{_mark(name, 8)}{dot}{ending}" if front else f"{plain}~{_mark(name, 8)}"


def _mark(text: str, digits: int) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=digits // 2).hexdigest()


def folded(name: str) -> str:
    """Equal for names that some system takes for the same."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())
