"""Activations as JSON data and back."""

from __future__ import annotations

from typing import Any

from kernelspec.activations.activation import Activation
from kernelspec.activations.catalogue import ACTIVATIONS, load_activation
from kernelspec.notation.arguments import declared

__all__ = ["from_written", "written"]


def written(activation: Activation) -> dict[str, Any]:
    """The name with the arguments, or the text of a formula."""
    if activation.name not in ACTIVATIONS:
        return {"name": activation.name, "text": str(activation)}
    arguments = {name: getattr(activation, name) for name in declared(type(activation))}
    return {"name": activation.name, "arguments": arguments}


def from_written(data: dict[str, Any]) -> Activation:
    """The activation that `written` described. Raises KeyError, TypeError, ValueError or SpecError if it is damaged."""
    if "text" in data:
        from kernelspec.kernels.nodes.dual import Dual
        from kernelspec.spec import parse

        spec = parse(f"dual({data['text']}, circle())")
        kernel = spec.kernel(spec.columns(1, None))
        if not isinstance(kernel, Dual):
            raise ValueError("this is no activation")
        return kernel.activation
    given = data["arguments"].items()
    arguments: Any = {name: tuple(value) if isinstance(value, list) else value for name, value in given}
    return load_activation(data["name"])(**arguments)
