"""What is installed, as the host keeps it: what a feature said, what it may, what it gave."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from induscode.feature.capability import AnyCapability, CapabilityDenial, GrantPort
from induscode.feature.descriptor import FeatureDescriptor
from induscode.feature.diagnostic import FeatureInstallReport, SkippedContribution
from induscode.feature.hosting.draft import (
    Draft,
    DraftCommand,
    DraftFragment,
    DraftHook,
    DraftTask,
    DraftTool,
)
from induscode.feature.hosting.handles import FeaturePorts, Handles
from induscode.feature.hosting.records import FeatureRecord

__all__ = ["FeatureRegistry", "InstalledFeature", "Member", "UnreadableFeature"]

_OURS = "builtin"


class UnreadableFeature:
    """A package that has no usable descriptor: there is nothing but a report."""

    def __init__(self, label: str, digest: str, record: FeatureRecord) -> None:
        self.label = label
        self._digest = digest
        self._record = record

    def report(self) -> FeatureInstallReport:
        return FeatureInstallReport(
            feature_id=self.label,
            enabled=False,
            package=self._digest,
            diagnostics=tuple(self._record.diagnostics),
        )


class InstalledFeature:
    """One feature with a descriptor, enabled or not. Nothing of its own state is kept. Of what was
    `granted` when it was installed, trust in its content alone gave what is `trusted`."""

    def __init__(
        self,
        descriptor: FeatureDescriptor,
        digest: str,
        grants: GrantPort,
        record: FeatureRecord,
        draft: Draft,
        ports: FeaturePorts,
    ) -> None:
        self.descriptor = descriptor
        self.digest = digest
        self.grants = grants
        self.record = record
        self.draft = draft
        self.enabled = False
        self.refused = False
        self.granted: tuple[AnyCapability, ...] = ()
        self.trusted: tuple[AnyCapability, ...] = ()
        self.denied: tuple[CapabilityDenial, ...] = ()
        self.ports = ports
        self.handles: Handles | None = None
        self.task_states: dict[str, str] = {}

    @property
    def id(self) -> str:
        return str(self.descriptor.id)

    def refuse(self, why: str) -> None:
        """It is not installed, and nothing of it stays but its report."""
        self.refused = True
        self.record.note(f"not installed: {why}", "install")
        self.draft.discard()
        self.draft.close("the feature was not installed")
        self.close()

    def lacks(self, needs: Iterable[AnyCapability]) -> str | None:
        """The first of these that is not granted now, and why; None when all are."""
        for need in needs:
            if why := self.grants.denial(need):
                return f"{need.text()}: {why}"
        return None

    def close(self) -> None:
        """Every handle it holds is refused from now on."""
        if self.handles is not None:
            self.handles.take_back()

    def report(self) -> FeatureInstallReport:
        """How it stands now."""
        made, draft, clean = self.descriptor, self.draft, self.record.clean
        return FeatureInstallReport(
            feature_id=self.id,
            enabled=self.enabled,
            display_name=clean(made.display_name),
            version=clean(made.version),
            runtime=made.runtime.value,
            package=self.digest,
            requested=tuple(replace(one, reason=clean(one.reason)) for one in made.all_requests()),
            granted=self.granted,
            denied=self.denied,
            installed_tools=tuple(draft.tools),
            installed_hooks=tuple(draft.hooks),
            installed_background_tasks=tuple(draft.tasks),
            installed_commands=tuple(draft.commands),
            installed_fragments=tuple(draft.fragments),
            skipped_contributions=tuple(
                SkippedContribution(one.kind, clean(one.name), clean(one.reason), one.owner)
                for one in draft.skipped
            ),
            diagnostics=tuple(self.record.diagnostics),
            suppressed=self.record.suppressed,
            tasks=dict(self.task_states),
            prompt_characters=draft.prompt_characters(),
        )


Member = InstalledFeature | UnreadableFeature


class FeatureRegistry:
    """All that was asked to be installed, in order, then guests of another registry. It does not
    change any more; `close` takes every handle back, but not those of guests."""

    def __init__(self, members: Sequence[Member], guests: Sequence[Member] = ()) -> None:
        self._own = tuple(members)
        self._members = members = (*members, *guests)
        self.unreadable = tuple(m for m in members if isinstance(m, UnreadableFeature))
        self.known = tuple(member for member in members if isinstance(member, InstalledFeature))
        self.features = tuple(feature for feature in self.known if feature.enabled)

    def reports(self) -> list[FeatureInstallReport]:
        return [member.report() for member in self._members]

    def tools(self) -> list[tuple[InstalledFeature, DraftTool]]:
        return [(f, tool) for f in self.features for tool in f.draft.tools.values()]

    def hooks(self) -> list[tuple[InstalledFeature, DraftHook]]:
        return [(f, hook) for f in self.features for hook in f.draft.hooks.values()]

    def tasks(self) -> list[tuple[InstalledFeature, DraftTask]]:
        return [(f, task) for f in self.features for task in f.draft.tasks.values()]

    def commands(self) -> list[tuple[InstalledFeature, DraftCommand]]:
        return [(f, command) for f in self.features for command in f.draft.commands.values()]

    def fragments(self) -> list[tuple[InstalledFeature, DraftFragment]]:
        return [(f, fragment) for f in self.features for fragment in f.draft.fragments.values()]

    def with_guests(self, guests: Sequence[Member]) -> FeatureRegistry:
        return FeatureRegistry(self._own, guests)

    def joined(self, other: FeatureRegistry) -> FeatureRegistry:
        """With another's own features after these."""
        guests = self._members[len(self._own) :]
        return FeatureRegistry((*self._own, *other.members()), guests)

    def members(self) -> tuple[Member, ...]:
        """Without the guests."""
        return self._own

    def lent(self) -> tuple[Member, ...]:
        """What another session of the same program uses with this one, because it was installed
        once and for all: every feature but those that ship."""
        return tuple(
            member
            for member in self._members
            if isinstance(member, UnreadableFeature) or member.descriptor.id.source != _OURS
        )

    def close(self) -> None:
        for member in self._own:
            if isinstance(member, InstalledFeature) and member.enabled:
                member.close()
