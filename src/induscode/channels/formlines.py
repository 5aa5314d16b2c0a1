"""A form in words: who asks, who gets the answer, what each field takes, what would be sent.

A bar stands before every line that the other side wrote: none of them can pose as one of ours.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import assert_never

from induscode.channels.terminal import Ink, exact
from induscode.kernel.form import (
    ChoiceKind,
    ChoicesKind,
    Form,
    FormField,
    FormKind,
    FormValue,
    NumberKind,
    Option,
    TextFormat,
    TextKind,
    YesNoKind,
)

__all__ = ["field_lines", "form_lines", "review_lines", "url_lines"]

_FORMATS: dict[TextFormat, str] = {
    "": "text",
    "email": "e-mail address",
    "uri": "address with its scheme",
    "date": "date, like 2026-01-31",
    "date-time": "date and time, like 2026-01-31T09:30:00Z",
}
_PLAIN = "http://"


def form_lines(form: Form, ink: Ink) -> list[str]:
    """What stands before the first field."""
    rows = [
        *_asks(form, "has a question for you", ink),
        _row("note", f"what you fill in goes to {exact(form.by)}; no passwords or keys here", ink),
    ]
    if form.fields:
        keys = "an empty line takes the default, or leaves out what is optional"
        rows.append(_row("keys", keys, ink))
        rows.append(_row("", "/skip leaves it out, /decline or Ctrl-C sends nothing at all", ink))
    return rows


def url_lines(form: Form, ink: Ink) -> list[str]:
    """The address in full, with the host made to stand out; it is never opened by us."""
    scheme, mark, rest = form.url.partition("://")
    before, host, after = rest.partition(form.host)
    shown = exact(scheme + mark + before) + ink(exact(host), "yellow", "bold") + exact(after)
    rows = [
        *_asks(form, "wants you to visit a page", ink),
        _row("page", shown, ink),
        _row("host", ink(exact(form.host), "yellow", "bold"), ink),
    ]
    if form.url.lower().startswith(_PLAIN):
        rows.append(_row("note", "what you do there is not encrypted", ink))
    rows.append(_row("note", "indus does not open it: visit it yourself if you trust it", ink))
    return rows


def field_lines(field: FormField, place: str, ink: Ink) -> list[str]:
    """One field; `place` says which of how many."""
    title = exact(field.title)
    name = "" if field.title == field.name else f" ({exact(field.name)})"
    need = "required" if field.required else "optional"
    rows = [f"{ink(place, 'cyan')} {ink('│', 'yellow')} {ink(title, 'bold')}{name}"]
    rows += _barred(field.description, ink)
    rows += [_option_row(number, option, ink) for number, option in _listed(field.kind)]
    rows.append(_row("", f"{need}; {_taken(field.kind)}", ink))
    if field.default is not None:
        rows.append(_row("default", _said(field.default), ink))
    return rows


def review_lines(form: Form, values: Mapping[str, FormValue], ink: Ink) -> list[str]:
    """All that would be sent."""
    rows = [
        f"  {ink('│', 'yellow')} {exact(field.name)}: {_said(values[field.name])}"
        for field in form.fields
        if field.name in values
    ]
    return [f"this would go to {exact(form.by)}:", *(rows or ["  (nothing is filled in)"])]


def _asks(form: Form, what: str, ink: Ink) -> list[str]:
    by = exact(form.by[:1].upper() + form.by[1:])
    rows = [ink(f"? {by} {what}", "yellow", "bold"), *_barred(form.message, ink)]
    if form.asker:
        rows.append(_row("who", exact(form.asker).replace("\n", "␊"), ink))
    return rows


def _barred(text: str, ink: Ink) -> list[str]:
    return [f"  {ink('│', 'yellow')} {row}" for row in exact(text).split("\n")] if text else []


def _row(name: str, text: str, ink: Ink) -> str:
    return f"  {ink(name.ljust(4), 'cyan')}  {text}"


def _listed(kind: FormKind) -> Sequence[tuple[int, Option]]:
    match kind:
        case ChoiceKind(options) | ChoicesKind(options=options):
            return list(enumerate(options, 1))
        case TextKind() | NumberKind() | YesNoKind():
            return ()


def _option_row(number: int, option: Option, ink: Ink) -> str:
    value = "" if option.title == option.value else f" ({exact(option.value)})"
    bar = ink("│", "yellow")
    return f"  {bar} {ink(str(number).rjust(3), 'cyan')}  {exact(option.title)}{value}"


def _taken(kind: FormKind) -> str:
    match kind:
        case TextKind(longest=longest, shortest=shortest, format=form):
            least = f", {shortest} characters or more" if shortest else ""
            return f"{_FORMATS[form]}{least}, up to {longest} characters"
        case NumberKind():
            return _number_taken(kind)
        case YesNoKind():
            return "yes or no"
        case ChoiceKind():
            return "one of these, by its number"
        case ChoicesKind(fewest=fewest, most=most):
            return f"{fewest} to {most} of these, by their numbers, with commas between them"
        case _:
            assert_never(kind)


def _number_taken(kind: NumberKind) -> str:
    words = ["whole number" if kind.whole else "number"]
    bounds = {"from": kind.least, "up to": kind.most, "above": kind.above, "below": kind.below}
    words += [f"{word} {bound:.15g}" for word, bound in bounds.items() if bound is not None]
    return " ".join(words)


def _said(value: FormValue) -> str:
    match value:
        case bool():
            return "yes" if value else "no"
        case str():
            return exact(value).replace("\n", "␊")
        case list():
            return ", ".join(map(exact, value)) or "(none)"
        case int() | float():
            return f"{value:.15g}" if isinstance(value, float) else str(value)
