"""GSTools: the frequencies of `RandMeth`, its randomization method for random fields [Müller et al. 2022].

A field of n modes is Σ (z₁ cos ω·x + z₂ sin ω·x)/√n with normal z; given the frequencies its covariance is the mean of
cos ω·(x − y), which is what is measured. Where the radius has no inverse distribution function in closed form, the
frequencies come from a Markov chain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from kernelspec.comparison.distances import exponential, gaussian, matern_three_halves
from kernelspec.comparison.sampler import COLUMNS, Kernel, Sampler, variance_of_pairs

__all__ = ["SAMPLERS"]


def _features(model: str, **parameters: float) -> Callable[[Any, np.random.Generator], NDArray[np.float64]]:
    """cos ω·x and sin ω·x of the modes of a field, over √n."""
    import gstools
    from gstools.field.generator import RandMeth

    def features(X: Any, generator: np.random.Generator) -> NDArray[np.float64]:
        covariance = getattr(gstools, model)(dim=X.shape[1], len_scale=1, **parameters)
        modes = RandMeth(covariance, mode_no=COLUMNS // 2, seed=int(generator.integers(2**31)))
        angles = X @ np.asarray(modes._cov_sample)
        return np.asarray(np.hstack([np.cos(angles), np.sin(angles)]) / np.sqrt(COLUMNS // 2))

    return features


def _of(claims: str, make: Callable[[], Any], kernel: Kernel) -> Sampler:
    return Sampler(claims, make, kernel, lambda X: variance_of_pairs(kernel, X))


SAMPLERS: Mapping[str, Sampler] = {
    "RandMeth(Gaussian)": _of(
        "exp(−πr²/4)", lambda: _features("Gaussian"), lambda X, Y: gaussian(X, Y, gamma=np.pi / 4)
    ),
    "RandMeth(Exponential)": _of("exp(−r)", lambda: _features("Exponential"), exponential),
    "RandMeth(Matern, ν = 3/2)": _of(
        "(1 + √1.5 r) exp(−√1.5 r)",
        lambda: _features("Matern", nu=1.5),
        lambda X, Y: matern_three_halves(X, Y, rate=np.sqrt(1.5)),
    ),
}
"""The covariance model → what its frequencies are held against."""
