"""Calls and policies as the tests write them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from induscode.kernel.tool import ToolKind
from induscode.policy.gate import Policy, decide
from induscode.policy.modes import Mode
from induscode.policy.paths import command_subject, path_subject
from induscode.policy.rules import Effect, Rule, parse_rule
from induscode.policy.subject import Access, CallView, NoSubject, UrlSubject
from induscode.policy.verdict import Layer, Verdict

PLAIN_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "HOME": "/nonexistent"}


def allow(text: str, layer: Layer = Layer.FLAG) -> Rule:
    return parse_rule(text, effect=Effect.ALLOW, layer=layer)


def ask(text: str, layer: Layer = Layer.FLAG) -> Rule:
    return parse_rule(text, effect=Effect.ASK, layer=layer)


def deny(text: str, layer: Layer = Layer.FLAG) -> Rule:
    return parse_rule(text, effect=Effect.DENY, layer=layer)


def read(workspace: Path, path: str, tool: str = "read") -> CallView:
    return CallView(tool, ToolKind.READ, {"path": path}, path_subject(workspace, path, Access.READ))


def write(workspace: Path, path: str, tool: str = "write") -> CallView:
    return CallView(
        tool, ToolKind.WRITE, {"path": path}, path_subject(workspace, path, Access.WRITE)
    )


def bash(
    workspace: Path,
    command: str,
    tool: str = "bash",
    environ: Mapping[str, str] = PLAIN_ENVIRONMENT,
) -> CallView:
    subject = command_subject(command, workspace, environ)
    return CallView(tool, ToolKind.SHELL, {"command": command}, subject)


def fetch(host: str) -> CallView:
    return CallView("webfetch", ToolKind.NETWORK, {"url": f"https://{host}/"}, UrlSubject(host))


def plain(tool: str, kind: ToolKind) -> CallView:
    return CallView(tool, kind, {}, NoSubject())


def judge(call: CallView, workspace: Path, *rules: Rule, mode: Mode = Mode.ASK) -> Verdict:
    return decide(call, Policy(mode, workspace, rules))
