"""Forms that write, made from the table of requests; the page's script sends them with the token.

A request's rows and present values enter, markup leaves. Without scripts nothing can be written here, so these forms
are not shown then: the server takes JSON only, which no page of another site can send.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pinakes.html.markup import Attribute, Markup, join, tag
from pinakes.serve.requests.parameters import Doors, Parameter, Request, parameters
from pinakes.serve.requests.rows import DAY
from pinakes.serve.web.places import Places

_LONG = ("text",)
"""Rows that are written in a field of many lines."""


def writing_form(
    where: str,
    kind: type[Request],
    names: Sequence[str],
    button: str,
    places: Places,
    values: Mapping[str, object] | None = None,
) -> Markup:
    """A form that is sent to a route; fields for the rows `names`, filled with what there is. Values of rows without a
    field are sent along."""
    rows, known = parameters(kind, Doors.HTTP), values or {}
    fields = [_field(rows[name], known.get(name)) for name in names]
    kept = [tag("input", type="hidden", name=name, value=str(known[name])) for name in known if name not in names]
    return tag(
        "form",
        *fields,
        *kept,
        tag("p", tag("button", button), " ", tag("span", role="status", class_="quiet")),
        class_="writing filters",
        data_write=f"{places.base_path}{where}",
        data_library=places.library,
        data_whole=values is not None,
    )


def action_button(
    where: str, words: str, sent: Mapping[str, str], places: Places, *, confirm: str = "", label: str = ""
) -> Markup:
    """A button that sends one request; where something goes, its reader is asked first."""
    fields = [tag("input", type="hidden", name=name, value=value) for name, value in sent.items()]
    return tag(
        "form",
        *fields,
        tag("button", words, aria_label=label or None),
        tag("span", role="status", class_="quiet"),
        class_="action",
        data_write=f"{places.base_path}{where}",
        data_library=places.library,
        data_confirm=confirm or None,
    )


def needs_scripts() -> Markup:
    """What stands there without scripts."""
    return tag("noscript", tag("p", "Writing needs scripts here; every command can do it, too.", class_="quiet"))


def _field(one: Parameter, value: object) -> Markup:
    label = tag("span", one.label or one.name.replace("_", " ").capitalize())
    shown = ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else "" if value is None else str(value)
    kind = "flag" if one.base is bool else "list" if one.is_many else "text"
    facts: Mapping[str, Attribute] = {"name": one.name, "data_kind": kind, "required": one.is_required}
    if one.name in _LONG:
        return tag("label", label, tag("textarea", shown, rows="10", **facts), title=one.help, class_="long")
    if one.base is bool:
        return tag("label", tag("input", type="checkbox", **facts), label, class_="flag", title=one.help)
    if one.values:
        first = [] if one.default else [("", "by the library" if one.is_optional else "any")]
        choices = [*first, *((name, name) for name in one.values)]
        wanted = shown or str(getattr(one.default, "value", one.default) or "")
        options = [tag("option", said, value=choice, selected=choice == wanted) for choice, said in choices]
        return tag("label", label, tag("select", join(*options), **facts), title=one.help)
    hint = one.example or ("several between commas" if one.is_many else None)
    form = "date" if one.form is DAY else "text"
    line = tag("input", type=form, value=shown, placeholder=hint, maxlength=one.most_letters, **facts)
    return tag("label", label, line, title=one.help)
