"""Kernel, spectral measure and variances as LaTeX."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from kernelspec.analysis.reports.expression_text import latex_of
from kernelspec.analysis.variances.sample_variances import methods_by_variance
from kernelspec.errors import NotStationaryError

if TYPE_CHECKING:
    from kernelspec.analysis.facts import Facts

__all__ = ["latex_report"]


def latex_report(facts: Facts) -> str:
    """An `align*` environment with one line each; methods of the same variance share theirs."""
    rows = [("k(x, y)", facts.kernel)]
    with suppress(NotStationaryError):
        rows.append((r"\mu(\omega)", facts.spectral_measure))
    rows += [
        (rf"\operatorname{{Var}}_{{\text{{{', '.join(methods)}}}}}", value)
        for value, methods in methods_by_variance(facts.variance).items()
    ]
    body = " \\\\\n".join(f"  {left} &= {latex_of(value)}" for left, value in rows)
    return f"\\begin{{align*}}\n{body}\n\\end{{align*}}"
