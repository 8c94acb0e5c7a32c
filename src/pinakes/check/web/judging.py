"""What is wrong with links to the web, from what their servers answered."""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping, Sequence

from pinakes.check.findings import Code, Finding
from pinakes.check.web.links import WebLink
from pinakes.errors import ConfigError
from pinakes.records.web import WebAnswer, WebState

_CODES = re.compile(r"([1-9]\d\d)(?:-([1-9]\d\d))?\Z")
_NOT_FOR_US = frozenset((401, 403, 407, 429, 451, 999))
"""What servers say to programs about pages that people may well see."""


def accepted_codes(written: Sequence[str]) -> frozenset[int]:
    """Statuses that count as good, from texts such as ``403`` and ``200-299``; raises `ConfigError`."""
    found: set[int] = set()
    for one in written:
        match = _CODES.match(one.strip())
        if match is None or int(match[1]) > int(match[2] or match[1]):
            raise ConfigError(f"“{one}” is no status of HTTP.", "Write one such as 403, or a range such as 200-299.")
        found.update(range(int(match[1]), int(match[2] or match[1]) + 1))
    return frozenset(found)


def web_findings(
    links: Sequence[WebLink], answers: Mapping[str, WebAnswer], accepted: Container[int]
) -> Iterator[Finding]:
    """A finding for each link that is dead, did not answer, has moved or was not asked."""
    is_online = any(answer.status for answer in answers.values())
    unreached = [link for link in links if _is_unreached(answers[link.address])]
    if not is_online and len({link.address for link in unreached}) > 1:
        # Without a network every link would be a finding, and none of them worth a look.
        first, count = unreached[0], len({link.address for link in unreached})
        message = f"no server on the web answers from here, so {count:,} addresses were not checked"
        yield Finding(Code.UNANSWERED_WEB_LINK, first.ref, first.line, message)
        links = [link for link in links if not _is_unreached(answers[link.address])]
    for link in links:
        if (found := _judged(link, answers[link.address], accepted, is_online=is_online)) is not None:
            yield found


def _is_unreached(answer: WebAnswer) -> bool:
    return answer.state in (WebState.SILENT, WebState.NO_HOST)


def _judged(link: WebLink, answer: WebAnswer, accepted: Container[int], *, is_online: bool) -> Finding | None:
    if answer.state is WebState.ANSWERED:
        if answer.status in accepted:
            return _moved(link, answer) if answer.moved_to else None
        code = Code.BROKEN_WEB_LINK
        if answer.status in _NOT_FOR_US or answer.status >= 500:
            code = Code.UNANSWERED_WEB_LINK
        return _finding(code, link, f"the server answers with status {answer.status}")
    if answer.state is WebState.NOT_ASKED:
        return _finding(Code.UNASKED_WEB_LINK, link, answer.trouble)
    is_dead = answer.state is WebState.WRONG or (answer.state is WebState.NO_HOST and is_online)
    return _finding(Code.BROKEN_WEB_LINK if is_dead else Code.UNANSWERED_WEB_LINK, link, answer.trouble)


def _moved(link: WebLink, answer: WebAnswer) -> Finding:
    _, mark, fragment = link.target.partition("#")
    return _finding(Code.MOVED_WEB_LINK, link, "the page has moved", answer.moved_to + mark + fragment)


def _finding(code: Code, link: WebLink, trouble: str, suggestion: str = "") -> Finding:
    return Finding(code, link.ref, link.line, f"“{link.target}”: {trouble}", suggestion)
