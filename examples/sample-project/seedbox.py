"""Which seeds to sow in which month."""

from pathlib import Path

CATALOGUE = Path(__file__).with_name("seeds.txt")


def seeds_for(month: str, catalogue: Path = CATALOGUE) -> list[str]:
    """The names of the seeds to sow in a month, in the order of the catalogue."""
    rows = [line.split(":") for line in catalogue.read_text().splitlines() if line]
    return [name.strip() for name, months in rows if month.lower() in months.lower().split()]
