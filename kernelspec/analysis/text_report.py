"""All facts about a kernel in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kernelspec.analysis.answering import answer_or_reason
from kernelspec.analysis.expression_text import shown, shown_size
from kernelspec.analysis.sample_variances import methods_by_variance
from kernelspec.analysis.spectral_lines import spectral_lines

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["text_report"]


def text_report(facts: Facts) -> str:
    """Verdict with reasons, kernel, spectral measure, masses, moments and variances, as lines of text."""
    verdict = facts.verdict
    lines = [str(facts.spec), "", f"columns: {_columns(facts)}", f"positive definite: {verdict.positive_definite}"]
    lines += [f"  - {reason}" for reason in verdict.reasons]
    stationary = {True: "yes", False: "no", None: "in its numeric columns"}[verdict.stationary]
    lines += [f"symmetric: {'yes' if verdict.symmetric else 'no'}", f"stationary: {stationary}", ""]
    lines += [f"k(x, y) = {shown(facts.kernel)}", f"k(x, x) = {shown(facts.k0)}"]
    lines += spectral_lines(facts)
    lines += _polya_lines(facts)
    lines += _composition_lines(facts)
    lines += _skeleton_lines(facts)
    lines += _cosine_lines(facts)
    lines.append("variance of one sample's inner product:")
    variances = methods_by_variance(facts.variance)
    return "\n".join(lines + [f"  {', '.join(methods)}: {shown(value)}" for value, methods in variances.items()])


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


def _composition_lines(facts: Facts) -> list[str]:
    found, _ = answer_or_reason(lambda: facts.composition)
    if found is None:
        return []
    sizes = ["infinite" if size == float("inf") else f"{size:.6g}" for size in (found.complexity, found.norm)]
    lines = [f"a feature has {sizes[0]} factors in the mean; its norm is at most C = {sizes[1]}"]
    if found.norm < float("inf"):
        count = 2 * found.norm**4
        lines.append(
            f"  {count:.6g} ln(2/δ)/ε² samples keep the error of an inner product below ε with probability 1 − δ "
            f"({4 * count:.6g} with random offsets)"
        )
    return lines


def _skeleton_lines(facts: Facts) -> list[str]:
    """The layers of every skeleton in the kernel."""
    found, _ = answer_or_reason(lambda: facts.skeletons)
    lines: list[str] = []
    for skeleton in found or ():
        first, *rest = skeleton.lines()
        lines += [f"skeleton: {first}", *(f"  {line}" for line in rest)]
    return lines


def _cosine_lines(facts: Facts) -> list[str]:
    found = facts.cosine_estimators
    first = ["variance of one column (or key) at the cosine rho [Li 2017]:"] if found else []
    return first + [f"  {name}: {shown(variance)}" for name, variance in found.items()]
