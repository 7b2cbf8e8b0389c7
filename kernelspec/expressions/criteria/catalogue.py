"""The criteria for radial formulas, in the order in which they are asked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from types import MappingProxyType

from kernelspec.expressions.criteria.necessary import Criterion, Statement
from kernelspec.expressions.formula import Formula, Term
from kernelspec.expressions.symbolic import PROOF_CALLS, within
from kernelspec.loading import load_from

__all__ = ["CRITERIA", "statements"]

CRITERIA: Mapping[str, str] = MappingProxyType(
    {
        "complete_monotonicity": "kernelspec.expressions.criteria.complete_monotonicity:by_complete_monotonicity",
        "bessel_waves": "kernelspec.expressions.criteria.families:by_bessel_waves",
        "damped_cosine": "kernelspec.expressions.criteria.families:by_damped_cosine",
        "truncated_power": "kernelspec.expressions.criteria.families:by_truncated_power",
        "euclid_hat": "kernelspec.expressions.criteria.families:by_euclid_hat",
        "polynomials": "kernelspec.expressions.criteria.families:by_polynomials",
        "corners": "kernelspec.expressions.criteria.necessary:by_corners",
        "convexity": "kernelspec.expressions.criteria.families:by_convexity",
        "flat_start": "kernelspec.expressions.criteria.necessary:by_flat_start",
        "values": "kernelspec.expressions.criteria.necessary:by_values",
    }
)
"""Name → "module:function"."""


def statements(formula: Formula) -> tuple[Statement, ...]:
    """What the criteria say about f(‖x − y‖) for f with f(0) = 1; one that holds for every d ends the search.

    A criterion that needs more than PROOF_CALLS says nothing.
    """
    return _statements(formula.body, formula.variable)


@lru_cache(maxsize=256)
def _statements(body: Term, variable: str) -> tuple[Statement, ...]:
    """The variable is an argument of its own, since it stands in the reasons and formulas compare without it."""
    formula = Formula(body, variable)
    found: list[Statement] = []
    for home in CRITERIA.values():
        criterion: Criterion = load_from(home)
        statement = within(PROOF_CALLS, partial(criterion, formula), lambda: None)
        if statement is None:
            continue
        found.append(statement)
        if statement.holds is None or statement.fails == statement.holds + 1:
            break
    return tuple(found)
