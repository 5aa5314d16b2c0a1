"""Filling in a form at a prompt: one field after the other, then a look at the whole."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from induscode.channels.formlines import field_lines, form_lines, review_lines, url_lines
from induscode.channels.terminal import Ink, exact
from induscode.kernel.form import (
    ChoicesKind,
    Declined,
    Dismissed,
    Filled,
    Form,
    FormAnswer,
    FormField,
    FormValue,
)
from induscode.kernel.form_values import Wrong, read_typed, value_problem

__all__ = ["FormPrompt"]

_DECLINE = "/decline"
_SKIP = "/skip"
_SEND = "send it? [y/n/e] "
_SEND_KEYS = "y sends it, n declines, e begins again"
_VISITED = "visited? [y/n] "
_VISITED_KEYS = "y when you have been there, n declines"
_YES = frozenset({"y", "yes"})
_NO = frozenset({"n", "no", _DECLINE})
_EDIT = frozenset({"e", "edit"})


class _Left(Struct, frozen=True):
    """The person leaves the field out."""


class _End(Exception):
    """No more is asked: this is the answer."""

    def __init__(self, answer: FormAnswer) -> None:
        super().__init__()
        self.answer = answer


class FormPrompt:
    """`ask` is given a prompt and returns a line, or raises what ends it all; `show` takes a line
    of ours; `over` says that nobody waits for the answer any more."""

    def __init__(
        self,
        ask: Callable[[str], str],
        show: Callable[[str], None],
        ink: Ink,
        over: Callable[[], bool],
    ) -> None:
        self._asked = ask
        self._show = show
        self._ink = ink
        self._over = over

    def answer(self, form: Form) -> FormAnswer:
        """Raises as `ask` does. What is returned fits the form."""
        try:
            return self._visited(form) if form.url else self._filled(form)
        except _End as end:
            return end.answer

    def _visited(self, form: Form) -> FormAnswer:
        self._show_all(url_lines(form, self._ink))
        while True:
            line = self._line(form, _VISITED)
            if line.strip().lower() in _YES:
                return Filled()
            self._decline_at(line)
            self._remark(_VISITED_KEYS)

    def _filled(self, form: Form) -> FormAnswer:
        self._show_all(form_lines(form, self._ink))
        while True:
            values = self._values(form)
            self._show_all(review_lines(form, values, self._ink))
            if self._sent(form):
                return Filled(values)

    def _values(self, form: Form) -> dict[str, FormValue]:
        values: dict[str, FormValue] = {}
        for number, field in enumerate(form.fields, 1):
            place = f"{number}/{len(form.fields)}"
            self._show_all(field_lines(field, place, self._ink))
            value = self._value(form, field)
            if not isinstance(value, _Left):
                values[field.name] = value
        return values

    def _value(self, form: Form, field: FormField) -> FormValue | _Left:
        while True:
            line = self._line(form, "answer: ")
            word = line.strip()
            if word == _DECLINE:
                raise _End(Declined())
            value = _unsaid(field, word) if word in {"", _SKIP} else read_typed(field, line)
            if not isinstance(value, Wrong):
                return value
            self._remark(f"it {value.reason}")

    def _sent(self, form: Form) -> bool:
        """False to begin again."""
        while True:
            line = self._line(form, _SEND)
            if line.strip().lower() in _YES:
                return True
            if line.strip().lower() in _EDIT:
                return False
            self._decline_at(line)
            self._remark(_SEND_KEYS)

    def _decline_at(self, line: str) -> None:
        if line.strip().lower() in _NO:
            raise _End(Declined())

    def _line(self, form: Form, prompt: str) -> str:
        line = self._asked(prompt)
        if self._over():
            self._remark(f"{exact(form.by)} no longer waits for it; nothing was sent")
            raise _End(Dismissed())
        return line

    def _remark(self, text: str) -> None:
        self._show(self._ink(text, "dim"))

    def _show_all(self, lines: list[str]) -> None:
        for line in lines:
            self._show(line)


def _unsaid(field: FormField, word: str) -> FormValue | _Left | Wrong:
    """What an empty line or a skip means for the field."""
    if word == "" and field.default is not None:
        return field.default
    if not field.required:
        return _Left()
    if isinstance(field.kind, ChoicesKind) and value_problem(field.kind, []) is None:
        return []
    return Wrong("is required; /decline ends the whole form")
