"""Hostile command lines and spellings, made by a seeded generator: the same ones in every run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from random import Random

FIRST_WORDS = ("git", "ls", "cat", "echo", "make", "find", "true", "printf", "sort", "grep")
"""Words that a rule allows, each as `bash(word *)`."""

_ARGUMENTS = ("", " -x", " a b", " 'a b'", ' "c"', " --flag=1", " -- src")
_SEPARATORS = (
    ";",
    " ; ",
    "&&",
    " && ",
    " || ",
    " | ",
    " |& ",
    " & ",
    "\n",
    "\r\n",
    ";\t",
    " &&\\\n",
)
_SUBSTITUTIONS = (
    "$({0})",
    '"$({0})"',
    "`{0}`",
    '"`{0}`"',
    "<({0})",
    '"${{x:=$({0})}}"',
    "${{x:-$({0})}}",
    "$(echo $({0}))",
    '"$(echo "$({0})")"',
    "$(( $({0}) ))",
)
_WRAPPERS = (
    "env {0}",
    "env env {0}",
    "env -i {0}",
    "timeout 5 {0}",
    "nice {0}",
    "nohup {0}",
    "command {0}",
    "exec {0}",
    "eval {0}",
    "time {0}",
    "setsid {0}",
    "stdbuf -o0 {0}",
    "bash -c '{0}'",
    'sh -c "{0}"',
    "bash -c \"bash -c '{0}'\"",
    "bash <<E\n{0}\nE",
    "sh <<'E'\n{0}\nE",
    "bash <<< '{0}'",
    "{{ {0}; }}",
    "({0})",
    "if true; then {0}; fi",
    "for i in 1; do {0}; done",
    "while {0}; do break; done",
    "! {0}",
    "f() {{ {0}; }}; f",
    "coproc {0}",
    "trap '{0}' EXIT",
    "find . -maxdepth 0 -exec {0} \\;",
    "echo x | xargs {0}",
    "A=1 {0}",
    "A=1 B=2 {0}",
    "LD_PRELOAD=./x.so {0}",
    "PATH=.:$PATH {0}",
    "> out {0}",
    "2>&1 {0}",
)
_TAILS = (
    " > ~/.bashrc",
    " >> ~/.profile",
    " >out",
    " < /etc/passwd",
    " 2>&1",
    " &> out",
    " >(touch P)",
    " &",
    " <<E\nx\nE",
    " <<< x",
    " *",
    " ?",
    " [a-z]",
    " {a,b}",
    " ~",
    " ~/x",
    " $HOME",
    ' "$HOME"',
    " ${IFS}x",
    " a\\ b",
    " # x",
    " 'open",
    ' "open',
    " $'\\n'",
    ' $"x"',
    " x=~/y",
    " \\",
)
_CHARACTERS = (
    "\t\n\r\v\f\0\a\b\x1b\x7f\x85\x9b\xa0\xad\u200b\u200e\u202e\u2028\u2066\u3000\u3164\ufeff\ue000"
)


def _quoted(random: Random, word: str) -> str:
    """The same word to a shell, spelled otherwise."""
    at = random.randrange(1, len(word))
    head, tail = word[:at], word[at:]
    return random.choice(
        (
            f"{head}''{tail}",
            f'{head}""{tail}',
            f"{head}\\{tail}",
            f"'{word}'",
            f'"{word}"',
            f"'{head}'\"{tail}\"",
            f"$'\\x{ord(word[0]):02x}{word[1:]}'",
            f"$'\\{ord(word[0]):03o}{word[1:]}'",
            f"\\{word}",
            f"{head}$@{tail}",
            f"{head}${{Z}}{tail}",
            f"{head}\\\n{tail}",
            word,
        )
    )


def payloads(random: Random) -> Iterator[str]:
    """`touch P`, without quotes of its own where it stands in quotes."""
    while True:
        yield f"{_quoted(random, 'touch')} {random.choice(('P', './P', 'P', '-- P'))}"


def _innocent(random: Random) -> str:
    return random.choice(FIRST_WORDS) + random.choice(_ARGUMENTS)


def carrying(count: int, seed: int = 20_260_101) -> list[str]:
    """Distinct commands that begin with, or hold, an allowed first word and also run `touch P`."""
    random = Random(seed)
    hidden = payloads(random)
    kinds: tuple[Callable[[], str], ...] = (
        lambda: _innocent(random) + random.choice(_SEPARATORS) + next(hidden),
        lambda: _innocent(random) + " " + random.choice(_SUBSTITUTIONS).format(next(hidden)),
        lambda: random.choice(_WRAPPERS).format("touch P"),
        lambda: (
            _innocent(random)
            + random.choice(_SEPARATORS)
            + random.choice(_WRAPPERS).format("touch P")
        ),
        lambda: f"{random.choice(FIRST_WORDS)};" * random.randrange(2, 60) + next(hidden),
        lambda: (
            "true "
            + random.choice(_SUBSTITUTIONS).format(
                random.choice(_WRAPPERS[:8]).format(next(hidden))
            )
        ),
        lambda: next(hidden) + random.choice(_SEPARATORS) + _innocent(random),
    )
    return _distinct(count, partial(_one_of, random, kinds))


def disguised(count: int, seed: int = 20_260_102) -> list[str]:
    """Distinct commands that begin with an allowed first word and are more than plain words."""
    random = Random(seed)

    def spoiled() -> str:
        command = _innocent(random)
        at = random.randrange(len(command) + 1)
        return command[:at] + random.choice(_CHARACTERS) + command[at:]

    kinds: tuple[Callable[[], str], ...] = (
        lambda: _innocent(random) + random.choice(_TAILS),
        lambda: _innocent(random) + random.choice(_TAILS) + random.choice(_TAILS),
        lambda: random.choice(("A=1 ", "LD_PRELOAD=./x ", "PATH=. ", "'A'=1 ")) + _innocent(random),
        lambda: random.choice(("env ", "timeout 5 ", "xargs ", "sudo ", "./")) + _innocent(random),
        spoiled,
    )
    return _distinct(count, partial(_one_of, random, kinds))


def spellings(count: int, name: str, seed: int = 20_260_103) -> list[str]:
    """Distinct words of a shell for a file of the working directory that begins with a dot."""
    random = Random(seed)

    def letter(character: str) -> str:
        return random.choice(
            (
                character,
                character,
                character,
                f"'{character}'",
                f'"{character}"',
                f"\\{character}",
                f"$'\\x{ord(character):02x}'",
                f"$'\\{ord(character):03o}'",
                f"[{character}]",
                f"[!z{chr(ord(character) - 1)}]",
                f"{{{character},Q}}",
                "?",
                f"''{character}",
                f"$@{character}",
                f"${{Z}}{character}",
                f"$(true){character}",
                f"`true`{character}",
                f"{character}*",
            )
        )

    def word() -> str:
        prefix = random.choice(
            (
                "",
                "",
                "./",
                "$PWD/",
                '"$PWD"/',
                "${PWD}/",
                "~+/",
                "src/../",
                ".//",
                "src/./../",
                "s*/../",
            )
        )
        dot = random.choice((".", "\\.", "'.'", '"."', "$'\\x2e'", ".''"))
        return prefix + dot + "".join(letter(character) for character in name[1:])

    return _distinct(count, word)


def _one_of(random: Random, kinds: tuple[Callable[[], str], ...]) -> str:
    return random.choice(kinds)()


def _distinct(count: int, make: Callable[[], str]) -> list[str]:
    found: dict[str, None] = {}
    for _ in range(count * 50):
        found[make()] = None
        if len(found) == count:
            return list(found)
    raise AssertionError(f"only {len(found)} of {count} variants are distinct")
