"""Secrets, taken out of whatever is shown, kept or sent to a model, with a visible mark.

A value is recognised as it is, as it stands in a JSON string, percent-encoded, and in base64 (both
alphabets, on its own or with a newline behind it, also in lines of 76 characters). Other spellings
(reversed, hexadecimal, a part of it, base64 of a longer text) are not: a program that wants to
hide a key can, and only confinement stops it.
"""

from __future__ import annotations

import re
from binascii import b2a_base64
from collections.abc import Iterable
from typing import AnyStr

import msgspec

from induscode.kernel.jsontext import clean_text

__all__ = ["SHORTEST_SECRET", "Secrets", "StreamRedactor", "mark"]

SHORTEST_SECRET = 8
"""Shorter values are not secrets to us: taking them out would destroy ordinary text."""

_BASE64_LINE = 76
_LOOKS = 6
_HEAD = 3
_MARK_BEGINS = b"[redacted: "
_PLAIN = re.compile(r"[A-Za-z0-9_.~-]+")
# From what is rare in code, prose and logs to what is everywhere.
_RARE_FIRST = "QXJKVWYHGqUBNMOjDzPFRLCIxSAETZ+9758634k2vwby10gpmhfdcluonrsait_-/.e"

_Groups = tuple[tuple[AnyStr, tuple[tuple[int, AnyStr], ...]], ...]


def mark(name: str) -> str:
    """What stands where a secret stood; safe inside a JSON string."""
    return f"[redacted: {re.sub(r'[^A-Za-z0-9_. -]', '?', name)}]"


class Secrets:
    """The values that nobody may see, each under a name that everybody may.

    May grow while it is used, from any thread: what was redacted before stays as it is. Never
    shows a value when printed.
    """

    def __init__(self, named: Iterable[tuple[str, str]] = ()) -> None:
        self._names: dict[str, str] = {}
        self._made: Forms | None = None
        for name, value in named:
            self.add(name, value)

    def __repr__(self) -> str:
        return f"Secrets({', '.join(sorted(set(self._names.values())))})"

    def add(self, name: str, value: str) -> None:
        """From now on `value` is taken out. One that is too short, is no text, or is part of our
        own marks is not a secret; one that is known keeps its first name."""
        value = value.strip()
        if len(value) < SHORTEST_SECRET or value in self._names or clean_text(value)[1]:
            return
        self._names = {**self._names, value: name}

    def touches(self, data: bytes) -> bool:
        """Whether there may be something to take out; False is certain."""
        return _found(data, self.forms().in_bytes)

    def text(self, text: str) -> str:
        forms = self.forms()
        if not _found(text, forms.in_text):
            return text
        data = text.encode("utf-8", "surrogatepass")
        return forms.redacted(data).decode("utf-8", "surrogatepass")

    def data(self, data: bytes) -> bytes:
        forms = self.forms()
        return forms.redacted(data) if _found(data, forms.in_bytes) else data

    def marked(self, data: bytes) -> bool:
        """Whether there may be a mark of ours in it."""
        return _MARK_BEGINS in data

    def lost(self, before: bytes, after: bytes) -> str:
        """The mark that stands in `after` while the secret itself stands only in `before`; empty
        when there is none."""
        for value, name in self._names.items():
            told, plain = mark(name), value.encode()
            if told.encode() in after and plain in before and plain not in after:
                return told
        return ""

    def stream(self) -> StreamRedactor:
        return StreamRedactor(self)

    def forms(self) -> Forms:
        """What is looked for now, made when first asked for."""
        made = self._made
        if made is None or made.names is not self._names:
            self._made = made = Forms(self._names)
        return made


class Forms:
    """All spellings of some values, ready to be looked for. Does not change once made."""

    def __init__(self, names: dict[str, str]) -> None:
        self.names = names
        marks = {name: mark(name) for name in names.values()}
        self._marks: dict[bytes, bytes] = {}
        probes: list[str] = []
        for value, name in names.items():
            for family in _spellings(value):
                spelled = [form for form in family if not any(form in m for m in marks.values())]
                for form in spelled:
                    self._marks.setdefault(form.encode(), marks[name].encode())
                if spelled:
                    probes.append(_common_beginning(spelled))
        self.in_text: _Groups[str] = _grouped(probes)
        self.in_bytes: _Groups[bytes] = tuple(
            (anchor.encode(), tuple((len(p[:at].encode()), p.encode()) for at, p in group))
            for anchor, group in self.in_text
        )
        self.longest = max(map(len, self._marks), default=0)
        self._by_head: dict[bytes, list[bytes]] = {}
        for form in self._marks:
            for size in range(1, _HEAD + 1):
                self._by_head.setdefault(form[:size], []).append(form)
        self._compiled: re.Pattern[bytes] | None = None

    @property
    def pattern(self) -> re.Pattern[bytes]:
        """Matches the leftmost form, the longest of those that begin there."""
        if self._compiled is None:
            longest_first = sorted(self._marks, key=len, reverse=True)
            self._compiled = re.compile(b"|".join(map(re.escape, longest_first)))
        return self._compiled

    def mark_of(self, form: bytes) -> bytes:
        return self._marks[form]

    def redacted(self, data: bytes) -> bytes:
        return self.pattern.sub(lambda match: self._marks[match[0]], data)

    def open_from(self, data: bytes, start: int) -> int:
        """Where the longest end of `data` begins that could go on to be a form; its length if there
        is none. Looks no further back than `start`."""
        for at in range(max(start, len(data) - self.longest + 1), len(data)):
            candidates = self._by_head.get(data[at : at + _HEAD])
            if candidates is None:
                continue
            rest = data[at:]
            if any(form.startswith(rest) and form != rest for form in candidates):
                return at
        return len(data)


class StreamRedactor:
    """Redacts bytes that come in pieces: the pieces together are what redacting all of it at once
    would give. Holds back only an end that may be the beginning of a secret."""

    def __init__(self, secrets: Secrets) -> None:
        self._secrets = secrets
        self._held = b""

    def feed(self, data: bytes) -> bytes:
        forms = self._secrets.forms()
        if not forms.longest:
            return data
        data = self._held + data
        done: list[bytes] = []
        start = 0
        touched = _found(data, forms.in_bytes)
        while True:
            held = forms.open_from(data, start)
            match = forms.pattern.search(data, start) if touched else None
            if match is None or match.start() >= held:
                break
            done += (data[start : match.start()], forms.mark_of(match[0]))
            start = match.end()
        self._held = data[held:]
        return b"".join((*done, data[start:held]))

    def flush(self) -> bytes:
        """What was held back, at the end of the stream."""
        if not self._held:
            return b""
        held, self._held = self._held, b""
        return self._secrets.data(held)


def _spellings(value: str) -> list[list[str]]:
    """The forms of a value, in families whose members begin alike."""
    families = [[value]]
    if not _PLAIN.fullmatch(value):
        escaped = msgspec.json.encode(value).decode()[1:-1]
        pure = "".join(c if c.isascii() else "".join(_unicode_escapes(c)) for c in escaped)
        quoted = "".join(c if _PLAIN.match(c) else _percent(c) for c in value)
        families = [[form] for form in dict.fromkeys((value, escaped, pure, quoted))]
    encoded = [_base64(value), _base64(value + "\n")]
    other = [form.replace("+", "-").replace("/", "_") for form in encoded]
    families.append([*encoded, *map(_in_lines, encoded)])
    if other != encoded:
        families.append([*other, *map(_in_lines, other)])
    return families


def _unicode_escapes(character: str) -> Iterable[str]:
    pairs = character.encode("utf-16-be")
    return (f"\\u{pairs[at : at + 2].hex()}" for at in range(0, len(pairs), 2))


def _percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode())


def _base64(value: str) -> str:
    return b2a_base64(value.encode(), newline=False).decode().rstrip("=")


def _in_lines(text: str) -> str:
    starts = range(0, len(text), _BASE64_LINE)
    return "\n".join(text[at : at + _BASE64_LINE] for at in starts)


def _common_beginning(forms: list[str]) -> str:
    low, high = min(forms), max(forms)
    same = next((at for at, c in enumerate(low) if c != high[at]), len(low))
    return low[:same]


def _grouped(probes: list[str]) -> _Groups[str]:
    """Probes by their rarest character, with its place in each: one quick search for a character
    that is not there answers for all of them."""
    groups: dict[str, list[tuple[int, str]]] = {}
    for probe in dict.fromkeys(probes):
        rarest = next((c for c in _RARE_FIRST if c in probe), probe[0])
        groups.setdefault(rarest, []).append((probe.index(rarest), probe))
    return tuple((anchor, tuple(found)) for anchor, found in groups.items())


def _found(text: AnyStr, groups: _Groups[AnyStr]) -> bool:
    for anchor, probes in groups:
        at = text.find(anchor)
        if at >= 0 and _found_from(text, at, anchor, probes):
            return True
    return False


def _found_from(
    text: AnyStr, at: int, anchor: AnyStr, probes: tuple[tuple[int, AnyStr], ...]
) -> bool:
    """Look around the first few places of the anchor; where it is frequent, search for each."""
    for _ in range(_LOOKS):
        for offset, probe in probes:
            if at >= offset and text.startswith(probe, at - offset):
                return True
        at = text.find(anchor, at + 1)
        if at < 0:
            return False
    return any(probe in text for _, probe in probes)
