"""Forms that narrow what a view shows: they ask by an address, so that every answer can be kept and sent.

Names, labels and what was given enter, markup leaves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pinakes.serve.web.markup import Markup, join, tag


def field(name: str, label: str, example: str, given: Mapping[str, str], form: str | None = None) -> Markup:
    """A line to write into."""
    box = tag(
        "input", type="text", name=name, value=given.get(name, ""), placeholder=example, form=form, maxlength=2000
    )
    return tag("label", tag("span", label), box)


def choice(
    name: str, label: str, choices: Sequence[tuple[str, str]], given: Mapping[str, str], form: str | None = None
) -> Markup:
    """One of several."""
    chosen = given.get(name, "")
    options = [tag("option", said, value=value, selected=value == chosen) for value, said in choices]
    return tag("label", tag("span", label), tag("select", join(*options), name=name, form=form))


def asking(where: str, label: str, *fields: Markup) -> Markup:
    """A form that asks a view."""
    return tag(
        "form", *fields, tag("button", "Show"), action=where, method="get", class_="asking filters", aria_label=label
    )
