"""How the estimators of rbf_cosine() compare at one budget, those that no plan takes by itself included."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelspec.laws.cosine_variance import (
    minmax_variance,
    normalized_variance,
    paired_variance,
    phase_variance,
)
from kernelspec.laws.unit_rows import UnitRowsLaw
from kernelspec.notation.pairs import NumericPairs
from kernelspec.planning.strata import Stratum

__all__ = ["cosine_notes"]

_ESTIMATORS = {
    "pairs of cosine and sine": paired_variance,
    "random offsets [Li 2017, theorem 2.1]": phase_variance,
    "normalized=True, biased [theorem 2.2]": normalized_variance,
    "estimate_rbf of min-max keys, under a model [theorem 3.1]": minmax_variance,
}


def cosine_notes(strata: Sequence[Stratum], budget: int, pairs: NumericPairs) -> tuple[str, ...]:
    """For a kernel that is one rbf_cosine(), the standard errors of four estimators with as many columns or keys."""
    if len(strata) != 1 or not isinstance(strata[0].law, UnitRowsLaw):
        return ()
    stratum, kernel = strata[0], strata[0].law.kernel
    rho = pairs.select(stratum.positions).cosine()
    gamma, scale = float(kernel.gamma), abs(stratum.weight) / np.sqrt(budget)
    errors = {name: scale * float(np.sqrt(f(rho, gamma).mean())) for name, f in _ESTIMATORS.items()}
    least = min(errors, key=errors.__getitem__)
    shown = [f"with {budget} columns or keys, {name}: {error:.3g}" for name, error in errors.items()]
    return (*shown, f"least error: {least}; features are unbiased as pairs or with offsets only")
