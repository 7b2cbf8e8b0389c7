"""How far the mean of a plan with biased draws is from the kernel, in words."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from kernelspec.laws.joint import JointLaw
from kernelspec.planning.reference import Reference
from kernelspec.planning.strata import Stratum, kernel_value

__all__ = ["bias_of_draws"]

_FAR = 0.05
"""Of k(x, x): pairs between which the kernel is smaller than this say little of nearer ones."""


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
    said = f"at most {abs(total[worst]):.2g} ± {np.sqrt(squares[worst]):.1g} on {reference.words}"
    largest = float(np.abs(kernel_value(strata, pairs)).max())
    if largest >= _FAR * sum(abs(stratum.weight) * stratum.law.magnitude() for stratum in strata):
        return said
    return f"{said}, all so far apart that the kernel is at most {largest:.1g}: of nearer rows nothing is known"
