"""`builtin:macros`: each prompt that people keep in a file, as a command of its name.

The names are those there are when a session begins; what a command says is what its file says when
it is used.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from induscode.boot.kept_commands import declarations
from induscode.boot.materials import Materials
from induscode.briefing.contract import BriefingFault, MacroDef
from induscode.errors import UserError
from induscode.feature.capability import CapabilityRequest, EmitAlert
from induscode.feature.command import CommandContribution, Submit
from induscode.feature.descriptor import FeatureDescriptor, FeatureId
from induscode.feature.registry import FeatureInstallContext, Package
from induscode.kernel.sources import sources_digest
from induscode.version import VERSION

__all__ = ["MACROS", "macro_package"]

MACROS = "builtin:macros"
_SOURCES = (
    "boot/macro_feature.py",
    "briefing/frontmatter.py",
    "briefing/macro_files.py",
    "briefing/macros.py",
)
_SHARED = ".claude"
_ALERT = CapabilityRequest.optional(EmitAlert(), "say what of a command is not followed")


def macro_package(materials: Materials) -> Package | None:
    """None when there is no macro."""
    macros = materials.macros().macros
    if not macros:
        return None
    root = Path(__file__).parent.parent
    digest = sources_digest(root / name for name in _SOURCES)
    return Package(MacroFeature(materials, macros), digest, "builtin", MACROS, ours=True)


class MacroFeature:
    """One command for each of `macros`."""

    def __init__(self, materials: Materials, macros: tuple[MacroDef, ...]) -> None:
        self._materials = materials
        self._macros = macros

    def descriptor(self) -> FeatureDescriptor:
        return FeatureDescriptor(
            id=FeatureId.parse(MACROS),
            display_name="Commands kept in files",
            version=VERSION,
            requested_capabilities=(_ALERT,),
            declared_commands=declarations(
                {macro.name: _described(macro) for macro in self._macros}
            ),
        )

    def install(self, ctx: FeatureInstallContext, /) -> None:
        for macro in self._macros:
            command = MacroCommand(macro, self._materials, ctx.alerts.alert)
            ctx.commands.register(CommandContribution(macro.name, command))


class MacroCommand:
    """`macro` is as it was when the session began."""

    def __init__(
        self, macro: MacroDef, materials: Materials, alert: Callable[[str], object]
    ) -> None:
        self._known = macro
        self._materials = materials
        self._alert = alert

    async def run(self, arguments: str) -> Submit:
        """Raises `UserError` for a macro that is not there any more or says nothing."""
        from induscode.briefing.macros import expansion

        name = self._known.name
        macro = self._now()
        try:
            made = expansion(macro, arguments)
        except BriefingFault as fault:
            raise UserError(fault.message) from fault
        if not made.text.strip():
            raise UserError(f"/{name} says nothing", hint=f"write its text into {macro.source}")
        if macro.model:
            self._alert(f"/{name} asks for the model {macro.model}; this session keeps its own")
        if older := _older_forms(macro):
            self._alert(f"/{name} is written in an older form; {older}: {macro.source}")
        return Submit(made.text, only=macro.allowed_tools, sources=made.parts)

    def _now(self) -> MacroDef:
        for macro in self._materials.macros().macros:
            if macro.name == self._known.name:
                return macro
        raise UserError(
            f"/{self._known.name} is not there any more: {self._known.source} is gone, cannot be"
            " used, or waits for your trust",
            hint="see: indus trust",
        )


def _older_forms(macro: MacroDef) -> str:
    """How to write now what a file of our own folders says in an older way; files that are shared
    with other programs keep their words."""
    from induscode.briefing.macros import scan_macro_body

    found: dict[str, str] = {}
    if _SHARED not in macro.source.parts:
        scan_macro_body(macro.body, found.__setitem__)
    return ", ".join(f"write {now} for {old}" for old, now in found.items())


def _described(macro: MacroDef) -> str:
    return f"{macro.description}; arguments: {macro.hint}" if macro.hint else macro.description
