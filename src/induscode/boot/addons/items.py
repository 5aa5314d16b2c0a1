"""Addons that are named by their path: those of this workspace run only when they are trusted."""

from __future__ import annotations

from induscode.addons.package import AddonPackage
from induscode.boot.surroundings import Surroundings
from induscode.channels.terminal import exact
from induscode.errors import UserError
from induscode.policy.belongings import Belonging
from induscode.policy.trust import State

__all__ = ["item_of", "refuse_untrusted"]


def item_of(around: Surroundings, package: AddonPackage) -> Belonging | None:
    """What of this workspace it is, as far as trust is concerned."""
    item = _around(around, package)
    return item if item is not None and around.workspace / item.path == package.path else None


def refuse_untrusted(around: Surroundings, package: AddonPackage) -> None:
    """Raises `UserError` for what is, or lies in, an item of the workspace that is not trusted."""
    item = _around(around, package)
    if item is None:
        return
    state = around.trust.state(item).state
    if state is not State.UNCHANGED:
        raise UserError(
            f"{exact(item.path)} is {state}, and nothing of a workspace runs before it is trusted",
            hint=f"look: indus trust show; accept: indus trust grant {exact(item.path)}",
        )


def _around(around: Surroundings, package: AddonPackage) -> Belonging | None:
    within = (
        item
        for item in around.door.items
        if package.path.is_relative_to(around.workspace / item.path)
    )
    return next(within, None)
