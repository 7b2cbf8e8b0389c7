"""How far the mean of a plan with biased draws is from the kernel, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelspec.laws.joint import JointLaw
from kernelspec.planning.reference import Reference
from kernelspec.planning.strata import Stratum

__all__ = ["bias_of_draws"]


def bias_of_draws(strata: Sequence[Stratum], reference: Reference) -> str:
    """The largest |Σ w_i (E p_i − k_i)| over the reference pairs, as it is measured there, ± its standard error."""
    pairs = reference.pairs
    total, squares = np.zeros(len(pairs.x)), np.zeros(len(pairs.x))
    for stratum in strata:
        if isinstance(stratum.law, JointLaw):
            mean, error = stratum.law.bias(pairs.select(stratum.positions))
            total += stratum.weight * mean
            squares += np.square(stratum.weight * error)
    worst = int(np.argmax(np.abs(total)))
    return f"at most {abs(total[worst]):.2g} ± {np.sqrt(squares[worst]):.1g} on {reference.words}"
