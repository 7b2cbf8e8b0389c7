"""The catalogue: every kernel by name, loaded on use. Adding a kernel is one file and one line here."""

from __future__ import annotations

from collections.abc import Mapping
from importlib import import_module

from kernelspec.kernels.leaf import Leaf

__all__ = ["KERNELS", "load_kernel"]

KERNELS: Mapping[str, str] = {
    "gaussian": "kernelspec.kernels.gaussian:Gaussian",
    "laplace": "kernelspec.kernels.laplace:Laplace",
    "exponential": "kernelspec.kernels.exponential:Exponential",
    "matern": "kernelspec.kernels.matern:Matern",
    "cauchy": "kernelspec.kernels.cauchy:Cauchy",
    "rational_quadratic": "kernelspec.kernels.rational_quadratic:RationalQuadratic",
    "powered_exponential": "kernelspec.kernels.powered_exponential:PoweredExponential",
    "triangle": "kernelspec.kernels.triangle:Triangle",
    "sinc": "kernelspec.kernels.sinc:Sinc",
    "cosine": "kernelspec.kernels.cosine:Cosine",
    "periodic": "kernelspec.kernels.periodic:Periodic",
    "bochner": "kernelspec.kernels.bochner:BochnerKernel",
    "match": "kernelspec.kernels.match:Match",
}


def load_kernel(name: str) -> type[Leaf]:
    """The class of a kernel of the catalogue."""
    module, cls = KERNELS[name].split(":")
    found: type[Leaf] = getattr(import_module(module), cls)
    return found
