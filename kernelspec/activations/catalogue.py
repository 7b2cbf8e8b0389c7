"""The activations by name; a module is imported when its activation is first asked for."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from kernelspec.errors import UnknownNameError
from kernelspec.loading import load_from

if TYPE_CHECKING:
    from collections.abc import Mapping

    from kernelspec.activations.activation import Activation

__all__ = ["ACTIVATIONS", "load_activation"]

ACTIVATIONS: Mapping[str, str] = MappingProxyType(
    {
        "abs": "kernelspec.activations.abs:Abs",
        "cos": "kernelspec.activations.cos:Cos",
        "erf": "kernelspec.activations.erf:Erf",
        "exp": "kernelspec.activations.exp:Exp",
        "gaussian": "kernelspec.activations.gaussian:Gaussian",
        "gelu": "kernelspec.activations.gelu:Gelu",
        "hermite": "kernelspec.activations.hermite:Hermite",
        "identity": "kernelspec.activations.identity:Identity",
        "leaky_relu": "kernelspec.activations.leaky_relu:LeakyRelu",
        "polynomial": "kernelspec.activations.polynomial:Polynomial",
        "relu": "kernelspec.activations.relu:Relu",
        "sign": "kernelspec.activations.sign:Sign",
        "sin": "kernelspec.activations.sin:Sin",
        "step": "kernelspec.activations.step:Step",
    }
)
"""Name → "module:Class"."""


def load_activation(name: str) -> type[Activation]:
    """The class of an activation."""
    if name not in ACTIVATIONS:
        raise UnknownNameError(f"there is no activation called {name!r}; there are {', '.join(ACTIVATIONS)}")
    found: type[Activation] = load_from(ACTIVATIONS[name])
    return found
