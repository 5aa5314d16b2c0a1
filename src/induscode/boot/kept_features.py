"""Features made of what people keep in files: their commands, then their skills."""

from __future__ import annotations

from induscode.boot.macro_feature import macro_package
from induscode.boot.materials import Materials
from induscode.boot.skill_feature import skill_package
from induscode.feature.registry import Package

__all__ = ["kept_packages"]


def kept_packages(materials: Materials) -> list[Package]:
    """In the order in which they take names; none of what nobody keeps."""
    made = (macro_package(materials), skill_package(materials))
    return [package for package in made if package is not None]
