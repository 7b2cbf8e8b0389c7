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
        "binary": "kernelspec.kernels.leaves.binary:Binary",
        "bochner": "kernelspec.kernels.leaves.bochner:Bochner",
        "cauchy": "kernelspec.kernels.leaves.cauchy:Cauchy",
        "circle": "kernelspec.kernels.leaves.circle:Circle",
        "constant": "kernelspec.kernels.leaves.constant:Constant",
        "cosh_gaussian": "kernelspec.kernels.leaves.cosh_gaussian:CoshGaussian",
        "cosine": "kernelspec.kernels.leaves.cosine:Cosine",
        "exponential": "kernelspec.kernels.leaves.exponential:Exponential",
        "gaussian": "kernelspec.kernels.leaves.gaussian:Gaussian",
        "laplace": "kernelspec.kernels.leaves.laplace:Laplace",
        "linear": "kernelspec.kernels.leaves.linear:Linear",
        "match": "kernelspec.kernels.leaves.match:Match",
        "matern": "kernelspec.kernels.leaves.matern:Matern",
        "minmax": "kernelspec.kernels.leaves.minmax:MinMax",
        "noise": "kernelspec.kernels.leaves.noise:Noise",
        "periodic": "kernelspec.kernels.leaves.periodic:Periodic",
        "polya": "kernelspec.kernels.leaves.polya:Polya",
        "powered_exponential": "kernelspec.kernels.leaves.powered_exponential:PoweredExponential",
        "rational_quadratic": "kernelspec.kernels.leaves.rational_quadratic:RationalQuadratic",
        "rbf_cosine": "kernelspec.kernels.leaves.rbf_cosine:RbfCosine",
        "shift_gaussian": "kernelspec.kernels.leaves.shift_gaussian:ShiftGaussian",
        "sinc": "kernelspec.kernels.leaves.sinc:Sinc",
        "sinh_gaussian": "kernelspec.kernels.leaves.sinh_gaussian:SinhGaussian",
        "sphere": "kernelspec.kernels.leaves.sphere:Sphere",
        "triangle": "kernelspec.kernels.leaves.triangle:Triangle",
    }
)
"""Name → "module:Class"."""


def load_kernel(name: str) -> type[Leaf]:
    """The class of a catalogue kernel."""
    if name not in KERNELS:
        raise UnknownNameError(f"there is no kernel called {name!r}; there are {', '.join(KERNELS)}")
    found: type[Leaf] = load_from(KERNELS[name])
    return found
