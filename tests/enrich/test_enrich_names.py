"""Names, numbers, verbs and repeats: what a person would choose as a keyword."""

from __future__ import annotations

from msgspec.structs import replace

from kits.enrich import found, parsed
from pinakes.enrich import KeywordOptions, count

OPTIONS = KeywordOptions()

PARAMETERS = """# Authorize

## Parameters

| Parameter | Type | Description |
|---|---|---|
| `client_id` | `string` | The identifier that the application got when it was registered. |
| `redirect_uri` | `string` | The address that the browser is sent to afterwards. |
| `scope` | `string` | What the user is going to agree to, and `state` comes back with it. |

## Responses

Without a token the server answers with status 401, and `invalid_scope` is an error 400. There are 250 of them.
"""


def test_names_at_the_head_of_rows_come_first_and_heads_of_tables_do_not_come_at_all() -> None:
    words = found(PARAMETERS)["Parameters"]
    assert set(words[:3]) == {"client_id", "redirect_uri", "scope"}
    everything = found(PARAMETERS, replace(OPTIONS, top_n=50))["Parameters"]
    assert "state" in everything
    assert not {"type", "description", "string", "parameter"} & {word.lower() for word in everything}


def test_numbers_are_keywords_where_they_name_something() -> None:
    words = found(PARAMETERS, replace(OPTIONS, top_n=50))["Responses"]
    assert {"401", "400", "invalid_scope"} <= set(words)
    assert "250" not in words
    versions = found("# Notes\n\nClients of v2 keep the old envelope until v2 is gone from every mobile shop.\n")[
        "Notes"
    ]
    assert "v2" in versions


def test_a_verb_of_the_corpus_is_no_subject() -> None:
    pages = [
        parsed(f"# Page\n\nTo see {thing}, click it. Click the {thing}. You can click the {thing} again.\n")
        for thing in ("sidebar", "avatar", "banner", "ribbon")
    ]
    text = "# Page\n\nIn the sidebar, click Click to see the payload of the webhook that you click.\n"
    words = found(text, replace(OPTIONS, top_n=50), count(pages))["Page"]
    assert "payload" in " ".join(words)
    assert not any(word.lower().split()[0] == "click" for word in words)


def test_a_stem_is_said_once() -> None:
    text = (
        "# Page\n\n## Loading\n\nA non-optimized scenario waits for two chunks. In un-optimized scenarios the browser"
        " asks for a shared chunk, and the shared chunks come late.\n"
    )
    words = found(text, replace(OPTIONS, top_n=50))["Loading"]
    assert sum("scenario" in word for word in words) == 1
    assert sum("chunk" in word for word in words) == 1
