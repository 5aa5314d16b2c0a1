"""Approved plans as files: `<session>/plans/<time>-<slug>.md`."""

from __future__ import annotations

import re
import time
from pathlib import Path

__all__ = ["PLANS_DIRNAME", "plan_file_path", "plan_slug", "read_plan", "write_plan"]

PLANS_DIRNAME = "plans"
_SLUG_LENGTH = 48
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def plan_slug(plan: str) -> str:
    """The first line that says something, as a name for a file; `plan` when nothing is left."""
    first = next((line for line in plan.splitlines() if line.strip()), "")
    words = re.sub(r"[^a-z0-9]+", "-", first.lower())
    return words.strip("-")[:_SLUG_LENGTH].rstrip("-") or "plan"


def plan_file_path(session_dir: Path, slug: str) -> Path:
    return session_dir / PLANS_DIRNAME / f"{slug}.md"


def write_plan(session_dir: Path, plan: str) -> Path:
    """Keep a plan under a name that begins with the time, so that two equal plans are two files.
    Raises OSError."""
    slug, moment = plan_slug(plan), time.time_ns() // 1_000_000
    folder = session_dir / PLANS_DIRNAME
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    while True:
        path = plan_file_path(session_dir, f"{_base36(moment)}-{slug}")
        try:
            with path.open("x", encoding="utf-8", errors="replace") as file:
                file.write(plan)
        except FileExistsError:
            moment += 1
            continue
        return path


def read_plan(path: Path) -> str | None:
    """None for a file that is missing or cannot be read."""
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return None


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits or "0"
