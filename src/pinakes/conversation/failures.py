"""Errors of providers in words of ours, each with the next step.

An error of a client package enters, a `ConversationError` leaves. Both packages name their errors alike, so that one
table serves both. What a server says is quoted in one short line; where a key was refused it is not, since some servers
repeat the key.
"""

from __future__ import annotations

import json
import re
import socket
import ssl
from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from pinakes.conversation.endpoints import ModelEndpoint
from pinakes.errors import ConversationError
from pinakes.render.text import safe

_MOST_QUOTED = 240
_AGAIN = "Ask again."
_TYPES = {
    "authentication_error": 401,
    "billing_error": 402,
    "permission_error": 403,
    "not_found_error": 404,
    "request_too_large": 413,
    "rate_limit_error": 429,
    "invalid_request_error": 400,
    "timeout_error": 504,
    "overloaded_error": 529,
    "insufficient_quota": 402,
    "context_length_exceeded": 413,
    "rate_limit_exceeded": 429,
    "server_error": 500,
    "api_error": 500,
}
"""What an error within a stream would have been as a status: the response began as a success."""
_TOO_LONG = re.compile(
    r"prompt is too long|too many (?:input )?tokens|context[ _-](?:length|window|size|limit)|maximum context"
    r"|input is too long|exceeds? the (?:max|model)\w*|reduce the length",
    re.IGNORECASE,
)
_LIMIT = re.compile(r"max_(?:completion_)?tokens")
_UNPAID = re.compile(r"credit balance|insufficient[ _]quota|exceeded your current quota|billing", re.IGNORECASE)


def failure(error: BaseException, endpoint: ModelEndpoint, timeout_s: float = 0) -> ConversationError:
    """The error in a sentence with the next step."""
    if isinstance(error, ConversationError):
        return error
    status = status_of(error)
    if status:
        return _refused(status, error, endpoint)
    kind = type(error).__name__
    if "Timeout" in kind:
        within = f" within {timeout_s:g} seconds" if timeout_s else ""
        return ConversationError(
            f"{endpoint.host} did not answer{within}.", "Ask again, or give it more time with work.timeout_s."
        )
    if kind in ("APIConnectionError", "ConnectError", "ProxyError", "ReadError", "WriteError", "RemoteProtocolError"):
        return _unreachable(error, endpoint)
    said = quoted(error, endpoint)
    detail = f": {said}" if said else ""
    return ConversationError(f"{endpoint.host} answered with something that is no answer{detail}.", _check(endpoint))


def unusable(error: Exception, endpoint: ModelEndpoint) -> ConversationError:
    """A client that cannot even be made: a package that is broken, a proxy or certificates that make no sense."""
    reason = " ".join(safe(str(error)[:_MOST_QUOTED]).split()).rstrip(".")
    return ConversationError(
        f"{endpoint.host} cannot be asked: {reason or type(error).__name__}.",
        "Check the proxies (HTTPS_PROXY, ALL_PROXY) and SSL_CERT_FILE of the environment, or install pinakes[work] "
        "again.",
    )


def broken_off(endpoint: ModelEndpoint) -> ConversationError:
    """A stream ended before its end."""
    return ConversationError(f"The answer of {endpoint.host} broke off.", "What came is kept; ask again.")


def refused_to_say(endpoint: ModelEndpoint) -> ConversationError:
    """The provider's own rules ended an answer."""
    return ConversationError(f"{endpoint.host} refused to answer this.", "Ask in other words, or select other files.")


def no_such_model(endpoint: ModelEndpoint, offered: tuple[str, ...]) -> ConversationError:
    """A model that the endpoint does not have, with those that it has; none of them known when it does not tell."""
    import difflib

    model = safe(endpoint.model)
    if not offered:
        step = "Set work.model to a model that it has"
        step += "." if endpoint.is_usual else ", and check work.endpoint: many addresses end in /v1."
        return ConversationError(f"{endpoint.host} has no model “{model}”.", step)
    near = difflib.get_close_matches(endpoint.model, offered, 3, 0.4)
    names = ", ".join(safe(name[:80]) for name in dict.fromkeys([*near, *offered[:8]]))
    return ConversationError(f"{endpoint.host} has no model “{model}”.", f"Set work.model to one that it has: {names}.")


def status_of(error: BaseException) -> int:
    """The HTTP status that an error stands for; 0 when it stands for none."""
    found = getattr(error, "status_code", None)
    status = found if isinstance(found, int) else 0
    if status >= 300:
        return status
    body = getattr(error, "body", None)
    if not isinstance(body, Mapping):
        return 0
    inner = body.get("error", body)
    for key in ("type", "code") if isinstance(inner, Mapping) else ():
        value = inner.get(key)
        if isinstance(value, int) and 400 <= value < 600:
            return value
        if isinstance(value, str) and value in _TYPES:
            return _TYPES[value]
    return 500 if isinstance(inner, Mapping) and inner.get("message") else 0


def wanted_wait(error: BaseException) -> float | None:
    """The seconds after which a server wants to be asked again; None when it does not say."""
    headers = getattr(getattr(error, "response", None), "headers", {})
    for name, unit in (("retry-after-ms", 1000), ("retry-after", 1)):
        try:
            seconds = float(headers.get(name, "")) / unit
        except ValueError:
            continue
        if 0 <= seconds < 1e6:
            return seconds
    return None


def quoted(error: BaseException, endpoint: ModelEndpoint) -> str:
    """What a server said, in one short line without the key."""
    body = getattr(error, "body", None)
    text = _message(body) or (body if isinstance(body, str) else "") or str(error)
    if endpoint.key:
        text = text.replace(endpoint.key, "…")
    text = " ".join(safe(text[: 4 * _MOST_QUOTED]).split()).rstrip(".")
    return text if len(text) <= _MOST_QUOTED else text[:_MOST_QUOTED] + "…"


def _message(body: object) -> str:
    for _ in range(3):
        if not isinstance(body, Mapping):
            break
        body = body.get("error") or body.get("message") or body.get("detail") or ""
    if isinstance(body, list):
        return json.dumps(body)[:1000]
    return body if isinstance(body, str) else ""


def _refused(status: int, error: BaseException, endpoint: ModelEndpoint) -> ConversationError:
    host, model, said = endpoint.host, safe(endpoint.model), quoted(error, endpoint)
    if status == 401:
        return _bad_key(endpoint)
    if status == 402 or _UNPAID.search(said):
        return ConversationError(
            f"The account at {host} has no credit left, or its quota is used up.", "See to it at the provider."
        )
    if status == 403:
        return ConversationError(
            f"{host} does not allow “{model}” with the key in {endpoint.variable}.",
            "Use a key that may, or set work.model to another model.",
        )
    if status == 404:
        return no_such_model(endpoint, ())
    if status == 413 or (status in (400, 422) and _TOO_LONG.search(said)):
        return ConversationError(
            f"The prompt is too long for “{model}”: {said}.",
            "Select fewer files, lower work.budget_tokens or work.compact_at_tokens, or begin a new session.",
        )
    if status == 429:
        return ConversationError(f"{host} takes no more requests for now: {said}.", _later(error))
    if status in (503, 529):
        return ConversationError(f"{host} is overloaded.", _later(error))
    if status in (408, 504):
        return ConversationError(f"{host} took too long.", _AGAIN)
    if 300 <= status < 400:
        return ConversationError(
            f"{host} sends requests on to another address, and Pinakes does not follow with your documents.",
            "Put the right address into work.endpoint.",
        )
    if status >= 500:
        return ConversationError(f"{host} failed with {status}: {said}.", _AGAIN)
    step = "Lower work.max_answer_tokens." if _LIMIT.search(said) else _check(endpoint)
    return ConversationError(f"{host} does not accept the request ({status}): {said}.", step)


def _bad_key(endpoint: ModelEndpoint) -> ConversationError:
    if not endpoint.key:
        return ConversationError(f"{endpoint.host} wants a key.", f"Set {endpoint.variable}.")
    return ConversationError(
        f"{endpoint.host} refuses the key in {endpoint.variable}.", "Check it, or get another one from the provider."
    )


def _later(error: BaseException) -> str:
    seconds = wanted_wait(error)
    return f"Ask again in {max(round(seconds), 1):,} seconds." if seconds else "Ask again in a minute."


def _check(endpoint: ModelEndpoint) -> str:
    return "Check work.model." if endpoint.is_usual else "Check work.endpoint, work.provider and work.model."


def _unreachable(error: BaseException, endpoint: ModelEndpoint) -> ConversationError:
    host = endpoint.host
    chain = tuple(_causes(error))
    for cause in chain:
        if isinstance(cause, ssl.SSLError):
            reason = safe(getattr(cause, "verify_message", "") or cause.reason or "no TLS is spoken there")
            return ConversationError(
                f"There is no safe connection to {host}: {reason}.",
                "Check that the address begins with https or http as it should; SSL_CERT_FILE names certificates "
                "of your own.",
            )
        if isinstance(cause, socket.gaierror | ConnectionRefusedError) and _has_proxy(endpoint):
            return ConversationError(
                f"The proxy that leads to {host} does not answer.", "Check HTTPS_PROXY and NO_PROXY of the environment."
            )
        if isinstance(cause, socket.gaierror):
            return ConversationError(f"The name {host} is not known.", "Check the network and work.endpoint.")
        if isinstance(cause, ConnectionRefusedError):
            step = "Check the network." if endpoint.is_usual else "Start that server, or check work.endpoint."
            return ConversationError(f"Nothing answers at {host}.", step)
    if any(type(cause).__name__ == "ProxyError" for cause in chain):
        return ConversationError(
            f"The proxy does not lead to {host}.", "Check HTTPS_PROXY and NO_PROXY of the environment."
        )
    reason = next((one.strerror for one in chain if isinstance(one, OSError) and one.strerror), "")
    because = f": {safe(reason)}" if reason else ""
    return ConversationError(f"{host} cannot be reached{because}.", "Check the network and work.endpoint.")


def _has_proxy(endpoint: ModelEndpoint) -> bool:
    """Whether the environment has a proxy for this server."""
    from urllib.request import getproxies, proxy_bypass

    parts = urlsplit(endpoint.address)
    proxies = getproxies()
    return bool(proxies.get(parts.scheme) or proxies.get("all")) and not proxy_bypass(parts.netloc)


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop(0)
        if one is not None and id(one) not in seen:
            seen.add(id(one))
            yield one
            waiting += [one.__cause__, one.__context__]
