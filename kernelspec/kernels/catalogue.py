"""The catalogue of kernels by name; a module is imported when its kernel is first asked for."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from kernelspec.errors import UnknownNameError
from kernelspec.loading import load_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernelspec.kernels.leaf import Leaf

__all__ = ["KERNELS", "load_kernel"]

KERNELS: Mapping[str, str] = MappingProxyType(
    {
        "binary": "kernelspec.kernels.binary:Binary",
        "bochner": "kernelspec.kernels.bochner:Bochner",
        "cauchy": "kernelspec.kernels.cauchy:Cauchy",
        "circle": "kernelspec.kernels.circle:Circle",
        "cosh_gaussian": "kernelspec.kernels.cosh_gaussian:CoshGaussian",
        "cosine": "kernelspec.kernels.cosine:Cosine",
        "exponential": "kernelspec.kernels.exponential:Exponential",
        "gaussian": "kernelspec.kernels.gaussian:Gaussian",
        "laplace": "kernelspec.kernels.laplace:Laplace",
        "linear": "kernelspec.kernels.linear:Linear",
        "match": "kernelspec.kernels.match:Match",
        "matern": "kernelspec.kernels.matern:Matern",
        "minmax": "kernelspec.kernels.minmax:MinMax",
        "periodic": "kernelspec.kernels.periodic:Periodic",
        "polya": "kernelspec.kernels.polya:Polya",
        "powered_exponential": "kernelspec.kernels.powered_exponential:PoweredExponential",
        "rational_quadratic": "kernelspec.kernels.rational_quadratic:RationalQuadratic",
        "rbf_cosine": "kernelspec.kernels.rbf_cosine:RbfCosine",
        "shift_gaussian": "kernelspec.kernels.shift_gaussian:ShiftGaussian",
        "sinc": "kernelspec.kernels.sinc:Sinc",
        "sinh_gaussian": "kernelspec.kernels.sinh_gaussian:SinhGaussian",
        "sphere": "kernelspec.kernels.sphere:Sphere",
        "triangle": "kernelspec.kernels.triangle:Triangle",
    }
)
"""Name → "module:Class"."""


def load_kernel(name: str) -> type[Leaf]:
    """The class of a catalogue kernel."""
    if name not in KERNELS:
        raise UnknownNameError(f"there is no kernel called {name!r}; there are {', '.join(KERNELS)}")
    found: type[Leaf] = load_from(KERNELS[name])
    return found
