"""What is positive definite once it is multiplied out."""

from __future__ import annotations

from kernelspec.verdicts.rule import Finding, Question

__all__ = ["by_expansion"]


def by_expansion(question: Question) -> Finding | None:
    """Proved where the kernel, multiplied out and with equal terms merged, is: (g + h)² − g² − h² = 2gh."""
    verdict = question.expanded.verdict()
    if verdict.positive_definite != "proved":
        return None
    shown = str(question.expanded)
    written = shown if len(shown) <= 200 else "a weighted sum of products"
    return Finding("proved", (*verdict.reasons, f"multiplied out, the kernel is {written}"))
