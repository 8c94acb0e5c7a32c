"""What can be asked of publishing."""

from __future__ import annotations

from dataclasses import dataclass

from pinakes.errors import ConfigError


@dataclass(frozen=True, slots=True)
class PublishOptions:
    """What is published, and how."""

    min_tokens: int = 250
    """Chunks have at least so many tokens, unless the document has fewer."""
    max_tokens: int = 750
    """And at most so many; twice the least or more, so that every document can be cut like that."""
    base_url: str = ""
    """Where the folder will be served; empty for links that are relative."""
    topics: tuple[str, ...] = ()
    """Only these folders and what is below them; none for everything."""

    def __post_init__(self) -> None:
        if not (self.min_tokens >= 1 and 2 * self.min_tokens <= self.max_tokens <= 1_000_000):
            raise ConfigError(
                f"Chunks of {self.min_tokens} to {self.max_tokens} tokens cannot be cut.",
                "The second number must be at least twice the first, as in 250-750.",
            )
        if self.base_url and not _is_base(self.base_url):
            raise ConfigError(
                f"“{self.base_url}” is not an address to publish at.",
                "Write it as https://example.org/docs/ or /docs/.",
            )


def _is_base(url: str) -> bool:
    is_rooted = url.startswith(("http://", "https://")) or (url.startswith("/") and not url.startswith("//"))
    return is_rooted and url.isprintable() and not any(sign in url for sign in ' ?#"<>\\')
