"""Links of documents to the web, asked whether they still lead anywhere.

A corpus enters; what its servers answer leaves as findings. How addresses are asked is the business of fetching, what
the answers mean that of checking; here they meet, with the settings and the user's cache.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from pinakes.check import Finding, WebCheck
from pinakes.check.options import CheckOptions
from pinakes.check.web import Politeness, WebCache, accepted_codes, ask_all, web_findings, web_links
from pinakes.errors import ConfigError
from pinakes.library.corpus import Corpus
from pinakes.ports import Progress
from pinakes.records.sync import Event, Phase
from pinakes.records.web import WebAnswer
from pinakes.user_folders import cache_path


def dead_web_links(
    home: Corpus, asked: WebCheck, is_wanted: Callable[[str], bool], progress: Progress
) -> Iterator[Finding]:
    """What is wrong with the links to the web in the documents whose paths are wanted. Raises `ConfigError` where
    fetching is switched off, or a status is none."""
    options = home.config.check
    if not home.config.added.fetch:
        raise ConfigError("added.fetch is off, so no server on the web may be asked.", "Leave --external out.")
    accepted = accepted_codes(asked.accept or options.accept)
    excluded = (*options.exclude, *asked.exclude)
    links = [link for link in web_links(home.index, home.name, excluded) if is_wanted(link.ref.path)]
    max_age = options.max_age_days if asked.max_age_days is None else asked.max_age_days
    cache = WebCache(cache_path("web"))
    known = {link.address: cache.answer(link.address, max_age, accepted) for link in links}
    answers = {address: answer for address, answer in known.items() if answer is not None}
    if missing := [address for address, answer in known.items() if answer is None]:
        try:
            answers |= _ask(missing, home, options, cache, progress)
        finally:
            cache.write()  # whatever ends it, what was learned stays
    return web_findings(links, answers, accepted)


def _ask(
    missing: list[str], home: Corpus, options: CheckOptions, cache: WebCache, progress: Progress
) -> dict[str, WebAnswer]:
    from pinakes.added.addresses import AllowedHosts
    from pinakes.added.probe import probe

    done = 0

    def learned(address: str, answer: WebAnswer) -> None:
        nonlocal done
        done += 1
        cache.keep(address, answer)
        progress(Event(Phase.WEB_LINKS, done, len(missing), address))

    allowed = AllowedHosts.of(home.config.added.allow)
    manners = Politeness(options.retries, options.host_delay_s)
    progress(Event(Phase.WEB_LINKS, 0, len(missing)))
    return ask_all(missing, partial(probe, allowed=allowed, seconds=options.timeout_s), manners, learned)
