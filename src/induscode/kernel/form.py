"""A form that somebody else wants filled in by the person, and what they say to it.

Data only. How it is read from a JSON schema: `form_schema`; what may stand in it: `form_values`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias

from msgspec import Struct

__all__ = [
    "ChoiceKind",
    "ChoicesKind",
    "Declined",
    "Dismissed",
    "Filled",
    "Form",
    "FormAnswer",
    "FormField",
    "FormKind",
    "FormValue",
    "NumberKind",
    "Option",
    "TextFormat",
    "TextKind",
    "YesNoKind",
]

FormValue: TypeAlias = str | int | float | bool | list[str]
TextFormat: TypeAlias = Literal["", "email", "uri", "date", "date-time"]


class TextKind(Struct, frozen=True, tag="text"):
    """Between `shortest` and `longest` characters, on one line or on several."""

    longest: int
    shortest: int = 0
    format: TextFormat = ""


class NumberKind(Struct, frozen=True, tag="number"):
    """`least` and `most` may be given themselves, `above` and `below` not."""

    whole: bool = False
    least: float | None = None
    most: float | None = None
    above: float | None = None
    below: float | None = None


class YesNoKind(Struct, frozen=True, tag="boolean"):
    """True or false."""


class Option(Struct, frozen=True):
    """`value` is what is sent, `title` what the person reads."""

    value: str
    title: str


class ChoiceKind(Struct, frozen=True, tag="choice"):
    """One of them."""

    options: tuple[Option, ...]


class ChoicesKind(Struct, frozen=True, tag="choices"):
    """From `fewest` to `most` of them, none twice."""

    options: tuple[Option, ...]
    fewest: int
    most: int


FormKind: TypeAlias = TextKind | NumberKind | YesNoKind | ChoiceKind | ChoicesKind


class FormField(Struct, frozen=True):
    """One thing to fill in. `default` fits its kind. With `or_null`, null is sent when the person
    leaves it out."""

    name: str
    kind: FormKind
    title: str
    description: str = ""
    required: bool = False
    default: FormValue | None = None
    or_null: bool = False


class Form(Struct, frozen=True):
    """`by` is who wants to know and gets the answer, in words: "the MCP server 'x'". `asker` is the
    delegate for which it asks, "" for the session itself. With a `url`, there are no fields: the
    person is to visit it themselves, and `host` is whom they would meet there.

    All texts but names and values of options are cleaned of what is not printable; a newline
    stands only in `message` and descriptions."""

    id: str
    by: str
    message: str
    fields: tuple[FormField, ...] = ()
    url: str = ""
    host: str = ""
    asker: str = ""


class Filled(Struct, frozen=True, tag="accept"):
    """The person sends this; for a url, that they have been there."""

    values: Mapping[str, FormValue] = {}


class Declined(Struct, frozen=True, tag="decline"):
    """The person said no."""


class Dismissed(Struct, frozen=True, tag="cancel"):
    """There was no decision: the form was put away, or time was up."""


FormAnswer: TypeAlias = Filled | Declined | Dismissed
