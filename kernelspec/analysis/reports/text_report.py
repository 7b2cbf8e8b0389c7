"""All facts about a kernel in words."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kernelspec.analysis.open_questions import answer_or_reason
from kernelspec.analysis.reports.composition_lines import composition_lines
from kernelspec.analysis.reports.expression_text import shown, shown_size
from kernelspec.analysis.reports.spectral_lines import spectral_lines
from kernelspec.analysis.variances.sample_variances import methods_by_variance

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts
    from kernelspec.kernels.verdict import Verdict

__all__ = ["text_report", "verdict_lines"]


def text_report(facts: Facts) -> str:
    """Verdict with reasons, kernel, spectral measure, masses, moments and variances, as lines of text."""
    verdict = facts.verdict
    lines = [str(facts.spec), "", f"columns: {_columns(facts)}", f"positive definite: {verdict.positive_definite}"]
    lines += [*verdict_lines(verdict), ""]
    lines += [f"k(x, y) = {shown(facts.kernel)}", f"k(x, x) = {shown(facts.k0)}"]
    lines += spectral_lines(facts)
    lines += _polya_lines(facts)
    lines += composition_lines(facts)
    lines += _cosine_lines(facts)
    lines += _variance_lines(facts)
    return "\n".join(lines)


def verdict_lines(verdict: Verdict) -> list[str]:
    """The reasons for the answer on positive definiteness, and the other two answers."""
    stationary = {True: "yes", False: "no", None: "in its numeric columns"}[verdict.stationary]
    return [
        *(f"  - {reason}" for reason in verdict.reasons),
        f"symmetric: {'yes' if verdict.symmetric else 'no'}",
        f"stationary: {stationary}",
    ]


def _columns(facts: Facts) -> str:
    if facts.columns.names is not None:
        return ", ".join(facts.columns.names)
    return str(facts.columns.count) if facts.columns.count is not None else "d (any number)"


def _polya_lines(facts: Facts) -> list[str]:
    if facts.polya is None:
        return []
    mean, inverse, area = (shown_size(size) for size in (facts.polya.mean, facts.polya.inverse_mean, facts.polya.area))
    return [
        f"Polya kernel of R ~ {facts.polya.distribution}: E R = {mean}, M = E[1/R] = {inverse}, area under the kernel "
        f"of one column = {area}"
    ]


def _cosine_lines(facts: Facts) -> list[str]:
    found = facts.cosine_estimators
    first = ["variance of one column (or key) at the cosine rho [Li 2017]:"] if found else []
    return first + [f"  {name}: {shown(variance)}" for name, variance in found.items()]


def _variance_lines(facts: Facts) -> list[str]:
    """The variance of every method, or where it is infinite: there the expression has no meaning."""
    lines = ["variance of one sample's inner product:"]
    for value, methods in methods_by_variance(facts.variance).items():
        where, _ = answer_or_reason(partial(facts.infinite_variance, methods[0]))
        lines.append(f"  {', '.join(methods)}: {shown(value) if where is None else f'infinite where {where}'}")
    return lines
