"""A look at an addon on disk: what it is, what of it runs, and what it offers.

A program or component is asked what it offers: it runs once, confined and with nothing granted,
from a copy that is made of exactly what was digested and is gone afterwards.
"""

from __future__ import annotations

import os
import shlex
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from induscode.addons.contract import AddonId, LoaderError
from induscode.addons.discovery import Tier
from induscode.addons.manifest import DeclarativeLoader
from induscode.addons.offers import Offers
from induscode.addons.package import AddonPackage, id_of
from induscode.addons.process.confine import reach_of, told_of
from induscode.addons.process.faults import ProcessFault
from induscode.addons.process.limits import ProcessLimits
from induscode.addons.process.runners import runner_of
from induscode.addons.process.started import Program, launched
from induscode.addons.sandbox import SandboxPolicy
from induscode.addons.standing import Footing, look
from induscode.boot.addons.copies import copy_into, file_of, place_in
from induscode.boot.addons.placing import COMPILED
from induscode.boot.hiding import forbid_inspection
from induscode.boot.surroundings import Surroundings
from induscode.tools.processes.line import Keeper

__all__ = ["Look", "look_at"]

_SHELL = "/bin/sh"
_COMPONENT = "It is a component: it reaches nothing but what is granted."
_COMMANDS = "It is data: nothing of it runs but the commands that you type."
_CONFINED = "Its programs reach nothing but themselves and what is granted."
_DATA = "It is data: nothing of it runs."


class Look(Struct, frozen=True):
    """`runs` are the lines of what is started, as far as it is known before. `confinement` says
    what this machine keeps it from, `asked` whether it was run to know this."""

    package: AddonPackage
    id: AddonId
    offers: Offers
    runs: tuple[str, ...]
    confinement: str
    asked: bool


async def look_at(package: AddonPackage, around: Surroundings, warn: Callable[[str], None]) -> Look:
    """`warn` hears, before a program is run, what this machine does not keep it from. Raises
    `LoaderError`, and OSError as the disk does."""
    keeper = Keeper(forbid_inspection)
    try:
        unconfined = await _unconfined(keeper) if _starts_programs(package) else ""
        if unconfined and package.tier is Tier.PROCESS:
            warn(unconfined)
        footing = Footing(
            keeper=keeper,
            workspace=around.workspace,
            cache=around.places.data / COMPILED,
            secrets=around.secrets,
            environ=around.environ,
        )
        offers = await _offered(package, footing)
        runs = await _runs(package, offers, around)
    finally:
        await keeper.close()
    asked = package.tier is not Tier.DECLARATIVE
    confinement = unconfined or _confinement(package, runs)
    return Look(package, id_of(package, offers), offers, tuple(runs), confinement, asked)


async def _offered(package: AddonPackage, footing: Footing) -> Offers:
    """From a copy: what is asked, and what is installed, is what was digested."""
    with tempfile.TemporaryDirectory(prefix="indus-addon-") as folder:
        copy = Path(folder) / package.path.name
        copy_into(package, copy, durable=False)
        place = place_in(copy, file_of(package))
        entry = place / package.entry.relative_to(package.path)
        try:
            return await look(msgspec.structs.replace(package, path=place, entry=entry), footing)
        except LoaderError as error:  # the person knows the file, not the copy
            raise LoaderError(error.kind, package.entry, error.detail, hint=error.hint) from error


async def _runs(package: AddonPackage, offers: Offers, around: Surroundings) -> list[str]:
    match package.tier:
        case Tier.DECLARATIVE:
            typed = [f"/{one.name}: {one.exec}" for one in offers.commands if one.exec]
            return [*_programs(package), *typed]
        case Tier.PROCESS:
            return [shlex.join((await runner_of(package.path, around.environ)).words)]
        case Tier.WASM:
            return [f"wasmtime, in this process: {package.entry.name}"]


def _programs(package: AddonPackage) -> Iterator[str]:
    """Those of a manifest, each with what it is for."""
    made = DeclarativeLoader().describe(package.entry)
    for tool in made.tools:
        yield f"tool {tool.name}: {shlex.join(tool.command)}"
    for hook in made.hooks:
        yield f"hook {hook.event}: {shlex.join(hook.command)}"
    for task in made.tasks:
        yield f"task {task.id}: {shlex.join(task.command)}"


def _confinement(package: AddonPackage, runs: list[str]) -> str:
    """Where nothing is missing."""
    if package.tier is Tier.WASM:
        return _COMPONENT
    if _starts_programs(package):
        return _CONFINED
    return _COMMANDS if runs else _DATA


def _starts_programs(package: AddonPackage) -> bool:
    declares = package.tier is Tier.DECLARATIVE and any(_programs(package))
    return declares or package.tier is Tier.PROCESS


async def _unconfined(keeper: Keeper) -> str:
    """What this machine does not keep programs from, found out by starting one that does nothing;
    "" when there is nothing to say."""
    reach = reach_of(SandboxPolicy())
    program = Program((_SHELL, "-c", ":"), Path("/"), {}, reach)
    try:
        started = await launched(program, keeper, ProcessLimits())
    except ProcessFault as fault:
        return f"No program can be started here: {fault.message}."
    for stream in (started.stdin, started.stdout, started.stderr):
        os.close(stream)
    started.line.end(0)
    await started.line.gone.wait()
    started.line.close()
    return told_of(reach, started.walls)
