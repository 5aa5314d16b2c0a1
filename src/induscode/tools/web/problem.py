"""Why a request to the web came to nothing."""

from __future__ import annotations

__all__ = ["WebProblem", "sentence"]


class WebProblem(Exception):
    """Carries a sentence for the model. Never leaves the web tools: each makes a result of it."""


def sentence(problem: Exception) -> str:
    """What a problem says, as a sentence."""
    text = str(problem)
    return text if text.endswith(".") else f"{text}."
