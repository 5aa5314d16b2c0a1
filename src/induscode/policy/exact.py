"""A rule that allows one call again, and nothing else: what an approval can be remembered as."""

from __future__ import annotations

import re
from pathlib import Path

from induscode.policy.rules import Effect, Rule, canonical_name
from induscode.policy.shellwords import plain_words
from induscode.policy.stretch import INTERPRETERS, WRAPPERS, stretches
from induscode.policy.subject import CallView, CommandSubject, PathSubject, UrlSubject
from induscode.policy.verdict import Layer
from induscode.policy.wordlist import words

__all__ = ["always_rule", "exact_rule"]


def exact_rule(call: CallView, *, layer: Layer) -> Rule | None:
    """The rule, or None when no rule can say this call: a command that is more than plain words, a
    tool whose calls have no subject. The mode may still ask about what no rule lifts, such as a
    protected name: offer the rule only if `decide` with it allows the call."""
    match call.subject:
        case PathSubject(path=path):
            pattern = str(path)
        case CommandSubject(command=command) if plain_words(command) is not None:
            pattern = command
        case UrlSubject(host=host):
            pattern = host
        case _:
            return None
    text = f"{call.tool}({pattern})"
    return Rule(Effect.ALLOW, canonical_name(call.tool), pattern, layer, text, exact=True)


_RUNNERS = words(
    """
    git hg svn jj gh
    npm pnpm yarn bun deno node npx bunx pnpx corepack nx turbo lerna gulp grunt vite webpack rollup
    jest vitest mocha ava playwright cypress eslint prettier stylelint tsx ts-node
    uv uvx pip pip3 pipx poetry pipenv pdm hatch rye conda mamba tox nox invoke fab pytest unittest
    pre-commit mypy pylint sphinx-build django-admin flask celery gunicorn uvicorn ansible
    ansible-playbook
    make gmake cmake ctest ninja meson bazel buck buck2 just task mage scons waf ant mvn gradle sbt
    lein rake bundle gem rails rspec composer phpunit artisan mix rebar3 dotnet msbuild swift
    xcodebuild cargo go gofmt rustup stack cabal dune opam zig nim dart flutter
    docker podman docker-compose nerdctl kubectl helm terraform tofu pulumi vagrant packer nix
    nix-shell nix-build guix direnv asdf mise
    gdb lldb valgrind perf rsync scp sftp ssh socat nc ncat
    vim vi nvim emacs nano ed ex less more man tclsh expect sqlite3 psql mysql crontab systemctl
    launchctl open xdg-open
    """
)
"""Programs that run what the workspace or their arguments name: build tools, task runners, test
runners, package managers, containers, editors."""


def always_rule(call: CallView) -> Rule | None:
    """The rule for later sessions, or None where "always" is not to be offered.

    An exact rule says the same words for ever; it must then do the same for ever. That does not
    hold for a command that runs what a file of the workspace says, and anybody may change that file
    later: interpreters, wrappers, git (hooks, aliases), task runners. `make test` is among them,
    although people would like it: what was seen when it was approved is not what a later Makefile
    does. "This session" is there for it. Nor does it hold for a program of the workspace, for one
    that stands before another of its name, and for flags that name a program or a file to write.
    """
    subject = call.subject
    if isinstance(subject, CommandSubject) and not _stays_the_same(subject):
        return None
    return exact_rule(call, layer=Layer.ALWAYS)


def _stays_the_same(subject: CommandSubject) -> bool:
    command = plain_words(subject.command)
    if command is None or subject.program is None or subject.shadows:
        return False
    if _beside(subject.program, subject.cwd):
        return False
    name = command[0].rpartition("/")[2]
    base = re.sub(r"[-.]?\d[\d.]*$", "", name)
    if not {name, base}.isdisjoint(_RUNNERS | WRAPPERS) or re.fullmatch(INTERPRETERS, name):
        return False
    return not stretches(command, 1)


def _beside(program: Path, cwd: Path) -> bool:
    """Whether a program lies in the project: below `cwd`, or below a directory above it that does
    not also hold the user's home."""
    home = Path.home()
    around = [place for place in (cwd, *cwd.parents) if not home.is_relative_to(place)]
    return any(program.is_relative_to(place) for place in (cwd, *around))
