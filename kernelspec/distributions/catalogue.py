"""The distributions by name; a module is imported when its distribution is first asked for."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from kernelspec.errors import UnknownNameError
from kernelspec.loading import load_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernelspec.distributions.distribution import Distribution

__all__ = ["DISTRIBUTIONS", "load_distribution"]

DISTRIBUTIONS: Mapping[str, str] = MappingProxyType(
    {
        "cauchy": "kernelspec.distributions.cauchy:Cauchy",
        "chi": "kernelspec.distributions.chi:Chi",
        "chi_square": "kernelspec.distributions.chi_square:ChiSquare",
        "discrete": "kernelspec.distributions.discrete:Discrete",
        "erlang": "kernelspec.distributions.erlang:Erlang",
        "exponential": "kernelspec.distributions.exponential:Exponential",
        "gamma": "kernelspec.distributions.gamma:Gamma",
        "gaussian": "kernelspec.distributions.gaussian:Gaussian",
        "half_normal": "kernelspec.distributions.half_normal:HalfNormal",
        "inverse_gamma": "kernelspec.distributions.inverse_gamma:InverseGamma",
        "laplace": "kernelspec.distributions.laplace:Laplace",
        "lognormal": "kernelspec.distributions.lognormal:LogNormal",
        "nakagami": "kernelspec.distributions.nakagami:Nakagami",
        "pareto": "kernelspec.distributions.pareto:Pareto",
        "rayleigh": "kernelspec.distributions.rayleigh:Rayleigh",
        "rice": "kernelspec.distributions.rice:Rice",
        "shifted_poisson": "kernelspec.distributions.shifted_poisson:ShiftedPoisson",
        "student_t": "kernelspec.distributions.student_t:StudentT",
        "uniform": "kernelspec.distributions.uniform:Uniform",
        "weibull": "kernelspec.distributions.weibull:Weibull",
    }
)
"""Name → "module:Class"."""


def load_distribution(name: str) -> type[Distribution]:
    """The class of a distribution."""
    if name not in DISTRIBUTIONS:
        raise UnknownNameError(f"there is no distribution called {name!r}; there are {', '.join(DISTRIBUTIONS)}")
    found: type[Distribution] = load_from(DISTRIBUTIONS[name])
    return found
