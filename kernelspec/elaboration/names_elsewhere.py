"""What kernels are called in other libraries, and how they are written here."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["NAMES_ELSEWHERE", "written_here"]

_GAUSSIAN = "the Gaussian kernel is gaussian(scale=…)"
_NOISE = "white noise, a nugget, is noise(), with a weight as in 0.1*noise()"
_CONSTANT = "the kernel that is 1 everywhere is constant(), with a weight as in 2*constant()"
_PERIODIC = "the periodic kernel is periodic(period=…, scale=…)"
_EXPONENTIAL = "exp(−‖Δ‖₂/ℓ) is exponential(scale=…); with the sum of absolute differences it is laplace(scale=…)"
_LINEAR = "the inner product is linear(), with an offset as in linear() + 2*constant()"
_RATIONAL = "the rational quadratic kernel is rational_quadratic(alpha=…, scale=…)"
_SPHERICAL = "the spherical kernel is radial(r -> 1 - 1.5*min(r, 1) + 0.5*min(r, 1)**3), on three columns at most"
_TANIMOTO = "on rows of zeros and ones the Tanimoto (Jaccard) kernel is minmax()"

NAMES_ELSEWHERE: Mapping[str, str] = MappingProxyType(
    {
        "absolute_exponential": _EXPONENTIAL,
        "arc_cosine": "on rows of norm 1 the arc-cosine kernels are dual(step, sphere()) and dual(relu, sphere())",
        "bias": _CONSTANT,
        "constant_kernel": _CONSTANT,
        "cosine_similarity": "the cosine of the angle between two rows is normalize(linear())",
        "delta": _NOISE,
        "dot_product": _LINEAR,
        "eq": _GAUSSIAN,
        "exp_quad": _GAUSSIAN,
        "exp_sine_squared": _PERIODIC,
        "exponentiated_quadratic": _GAUSSIAN,
        "intercept": _CONSTANT,
        "jaccard": _TANIMOTO,
        "kronecker": "equality of categories is match(), of rows of numbers noise()",
        "laplacian": "exp(−Σ|Δ_i|/σ) is laplace(scale=…); with the Euclidean norm it is exponential(scale=…)",
        "matern12": "the Matérn kernel of order 1/2 is matern(nu=1/2, scale=…)",
        "matern32": "the Matérn kernel of order 3/2 is matern(nu=3/2, scale=…)",
        "matern52": "the Matérn kernel of order 5/2 is matern(nu=5/2, scale=…)",
        "nugget": _NOISE,
        "one": _CONSTANT,
        "ornstein_uhlenbeck": _EXPONENTIAL,
        "ou": _EXPONENTIAL,
        "poly": "the polynomial kernel is a power, as in (linear() + constant())**3",
        "rbf": _GAUSSIAN,
        "rq": _RATIONAL,
        "se": _GAUSSIAN,
        "spectral_mixture": "a spectral mixture is a sum of modulate(gaussian(scale=…), by=…), with weights",
        "spherical": _SPHERICAL,
        "squared_exponential": _GAUSSIAN,
        "tanimoto": _TANIMOTO,
        "white": _NOISE,
        "white_kernel": _NOISE,
        "white_noise": _NOISE,
    }
)
"""Name → a sentence without its full stop."""


def written_here(name: str) -> str:
    """`; the Gaussian kernel is gaussian(scale=…)` for `rbf` or `RBF`; nothing for a name that no library has."""
    found = NAMES_ELSEWHERE.get(name.casefold())
    return "" if found is None else f"; {found}"
