"""The page's forms and the addresses they ask by, both made from the table of requests.

A query string enters, a request leaves; rows of the table enter, markup leaves. Forms ask by an address, so that every
answer can be kept and sent.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

from starlette.requests import Request as HttpRequest

from pinakes.html.markup import Markup, join, tag
from pinakes.records import ADDED
from pinakes.serve.requests.parameters import Doors, Parameter, Request, parameters, parse, unknown
from pinakes.serve.requests.questions import SearchRequest
from pinakes.serve.requests.rows import DAY

R = TypeVar("R", bound=Request)

_OF_THE_PAGE = ("part", "lines")
"""What the page's own script and reader add to an address."""
_FIRST = ("corpus", "project", "kind", "path", "tag", "language", "lang", "author", "after", "before", "profile")
"""The filters of a search that are always seen, in this order; all others stand behind “More”."""


def given_of(http: HttpRequest, *kinds: type[Request]) -> dict[str, str]:
    """What an address says of these requests, by the names of the table; empty fields of a form say nothing.

    Raises `BadParameter` for what none of them takes.
    """
    rows = {name: one for kind in kinds for name, one in parameters(kind, Doors.PAGE).items()}
    spelled = {alias: name for name, one in rows.items() for alias in one.aliases}
    given: dict[str, str] = {}
    for spelling in http.query_params:
        name = spelled.get(spelling, spelling)
        if name not in rows and spelling not in _OF_THE_PAGE:
            raise unknown(spelling, rows)
        values = [value.strip() for value in http.query_params.getlist(spelling) if value.strip()]
        if name in rows and values:
            given[name] = ",".join(values) if rows[name].is_many else values[-1]
    return given


def request_of(given: Mapping[str, str], kind: type[R], *, is_whole: bool = True) -> R:
    """The request that an address holds; several entries of a list stand between commas. Raises `BadParameter`."""
    rows = parameters(kind, Doors.PAGE)
    sent = {name: _several(value) if rows[name].is_many else value for name, value in given.items() if name in rows}
    return parse(kind, sent, Doors.PAGE, is_text=True, is_whole=is_whole)


def filters_html(given: Mapping[str, str], corpora: Sequence[str] = (), facets: Markup | None = None) -> Markup:
    """The fields that narrow a search, below what its hits are; they belong to the search box's form wherever they
    stand."""
    rows = parameters(SearchRequest, Doors.PAGE)
    offered = {"corpus": [("", "documents"), *((name, name) for name in (*corpora, "all"))]}
    hidden = {"query", "typing"} if ADDED in corpora else {"query", "typing", "project"}
    form = "pk-search"
    return tag(
        "details",
        tag("summary", tag("h2", "Narrow it down")),
        facets,
        *(_input(rows[name], given, offered.get(name), form) for name in _FIRST if name not in hidden),
        _more([one for name, one in rows.items() if name not in (*_FIRST, *hidden)], given, form),
        tag("p", tag("button", "Apply", form=form), class_="apply"),
        class_="filters",
        open=True,
        data_used="yes" if any(name != "query" for name in given) else None,
    )


def form_html(where: str, label: str, given: Mapping[str, str], first: Sequence[str], *kinds: type[Request]) -> Markup:
    """A form that asks a view: the `first` fields are always seen, the other rows of these requests behind “More”."""
    rows = {name: one for kind in kinds for name, one in parameters(kind, Doors.PAGE).items()}
    return tag(
        "form",
        *(_input(rows[name], given) for name in first),
        _more([one for name, one in rows.items() if name not in first], given),
        tag("button", "Show"),
        action=where,
        method="get",
        class_="asking filters",
        aria_label=label,
    )


def _more(rows: Sequence[Parameter], given: Mapping[str, str], form: str | None = None) -> Markup:
    is_used = any(one.name in given for one in rows)
    inputs = [_input(one, given, form=form) for one in rows]
    return tag("details", tag("summary", "More"), *inputs, class_="more", open=is_used)


def _input(
    one: Parameter, given: Mapping[str, str], offered: Sequence[tuple[str, str]] | None = None, form: str | None = None
) -> Markup:
    """A row as a field: a box to tick, one of several, or a line to write into."""
    label = tag("span", one.label or one.name.replace("_", " ").capitalize())
    value = given.get(one.name, "")
    if one.base is bool and one.default_at(Doors.PAGE):
        offered = [("", "yes"), ("false", "no")]  # a box that is not ticked sends nothing
    elif one.base is bool:
        box = tag("input", type="checkbox", name=one.name, value="true", checked=value not in ("", "false"), form=form)
        return tag("label", box, label, class_="flag", title=one.help)
    if offered is None and one.values:
        offered = [("", "any" if one.name != "profile" else "as configured"), *((name, name) for name in one.values)]
    if offered is not None:
        options = [tag("option", said, value=choice, selected=choice == value) for choice, said in offered]
        return tag("label", label, tag("select", join(*options), name=one.name, form=form), title=one.help)
    line = tag(
        "input",
        type="date" if one.form is DAY else "text",
        name=one.name,
        value=value,
        placeholder=one.example or None,
        form=form,
        maxlength=one.most_letters,
    )
    return tag("label", label, line, title=one.help)


def _several(value: str) -> list[str]:
    return [part.strip() for part in value.split(",") if part.strip()]
