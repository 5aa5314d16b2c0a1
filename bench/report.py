"""One line per figure: ours, the floor's, their ratio, and whether the budget holds."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["Row", "show"]


@dataclass(frozen=True)
class Row:
    """`budget` bounds the ratio ours / floor; `limit` bounds a figure of its own instead:
    (value, bound, unit)."""

    name: str
    against: str
    ours: float
    floor: float
    budget: float | None
    unit: str
    limit: tuple[float, float, str] | None = None

    @property
    def ratio(self) -> float:
        return self.ours / self.floor if self.floor else 0.0

    @property
    def holds(self) -> bool:
        within = self.budget is None or self.ratio <= self.budget
        return within and (self.limit is None or self.limit[0] <= self.limit[1])

    def line(self) -> str:
        budget = f"within {self.budget:g}x" if self.budget else ""
        if self.limit:
            value, bound, unit = self.limit
            budget = f"{value:.2f} {unit}, within {bound:g}"
        verdict = "" if not budget else "ok  " if self.holds else "OVER"
        figures = f"{self.ours:9.4g} {self.unit:<7} {self.ratio:6.2f}x of {self.against}"
        return f"{self.name:<30} {figures:<46} {verdict} {budget}".rstrip()


def show(rows: list[Row]) -> bool:
    """Print rows as they come; True when every budget holds."""
    for row in rows:
        print(row.line(), flush=True)
    return all(row.holds for row in rows)
