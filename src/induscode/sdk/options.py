"""What can be said about an agent besides its model; everything may be left out."""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypedDict

from induscode.boot.invocation import Invocation
from induscode.kernel.form import Form, FormAnswer
from induscode.kernel.person import PersonAnswer, Question

if TYPE_CHECKING:
    from induscode.feature.capability import AnyCapability
    from induscode.feature.registry import FeatureModule, Package

__all__ = ["AgentOptions", "OnApproval", "OnForm", "OwnFeature", "invocation_of"]

OnApproval = Callable[[Question], Awaitable[PersonAnswer | None]]
OnForm = Callable[[Form], Awaitable[FormAnswer | None]]


@dataclass(frozen=True, slots=True)
class OwnFeature:
    """A feature of the program that runs the agent, and what the program grants it: by name, not
    whatever the feature asks for; None leaves it to the user's own grants. Its id has the source
    `user`."""

    module: FeatureModule
    granted: tuple[AnyCapability, ...] | None = ()


class AgentOptions(TypedDict, total=False):
    """What is left out is decided by the user's configuration, as on the command line.

    `mode`, `allow`, `deny`, `tools`, `trust`, `thinking`, `max_steps` and `max_cost` mean what the
    flags mean; `resume` and `fork` take an id, a unique prefix of one, or "last". `on_approval` is
    asked about calls that the mode asks about: None as its answer means no, and without it such
    calls are refused. `on_form` is asked what MCP servers want to know of the person: None as its
    answer declines, and without it all of them are declined. `features` are features of the program
    itself (`OwnFeature`), and what `AddonHost.packages` makes of addons that it loaded. `environ`
    stands for the environment of the process, `home` for the directory of our own files.
    """

    cwd: str | os.PathLike[str]
    mode: str | None
    allow: Iterable[str]
    deny: Iterable[str]
    tools: Iterable[str] | None
    trust: bool
    system: str | None
    append_system: str | None
    resume: str | None
    fork: str | None
    max_steps: int | None
    max_cost: float | None
    thinking: str | None
    on_approval: OnApproval | None
    on_form: OnForm | None
    features: Iterable[OwnFeature | Package]
    environ: Mapping[str, str] | None
    home: str | os.PathLike[str] | None


def invocation_of(model: str | None, options: AgentOptions) -> Invocation:
    """The same wishes as words of the command line would have put them. Raises TypeError for a name
    that is no option, as a call with a wrong keyword does."""
    for name in options.keys() - AgentOptions.__annotations__.keys():
        raise TypeError(f"Agent() has no option {name!r}")
    tools = options.get("tools")
    return Invocation(
        model=model,
        cwd=os.fspath(options.get("cwd", ".")),
        mode=options.get("mode"),
        allow=tuple(options.get("allow", ())),
        deny=tuple(options.get("deny", ())),
        tools=None if tools is None else tuple(tools),
        trust=options.get("trust", False),
        system=options.get("system"),
        append_system=options.get("append_system"),
        resume=options.get("resume"),
        fork=options.get("fork"),
        max_steps=options.get("max_steps"),
        max_cost=options.get("max_cost"),
        thinking=options.get("thinking"),
    )
