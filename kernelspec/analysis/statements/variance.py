"""The variance of one sample, by method."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from kernelspec.analysis.fact import Fact
from kernelspec.analysis.open_questions import answer_or_reason
from kernelspec.analysis.reports.expression_text import latex_of, latex_text, shortened, text_of, variance_of
from kernelspec.analysis.variances.sample_variances import methods_by_variance

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["variance"]


def variance(facts: Facts) -> Fact:
    """The variance of every method, or where it is infinite: there the expression has no meaning."""
    lines, rows = ["variance of one sample's inner product:"], []
    values: dict[str, str] = {}
    for value, methods in methods_by_variance(facts.variance).items():
        where, _ = answer_or_reason(partial(facts.infinite_variance, methods[0]))
        words = None if where is None else f"infinite where {where}"
        text = words or text_of(value)
        lines.append(f"  {', '.join(methods)}: {shortened(text)}")
        rows.append((variance_of(methods), latex_of(value) if words is None else latex_text(words)))
        values |= dict.fromkeys(methods, text)
    ordered = {method: values[method] for method in facts.variance}
    return Fact(name="variance", value=ordered, lines=tuple(lines), latex=tuple(rows))
