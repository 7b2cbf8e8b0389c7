"""Activations as data and back."""

from __future__ import annotations

import json

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.activations.activation import Activation
from kernelspec.activations.written import from_written, written
from kernelspec.kernels.nodes.dual import Dual

TEXTS = [
    "relu",
    "exp(c=0.123456789012345)",
    "hermite(3)",
    "leaky_relu(0.1)",
    "gaussian(a=1/3)",
    "activation(x -> x**2 / 3 + sin(0.1 * x))",
    "activation(x -> max(0, x - 1/3))",
]


def activation_of(text: str) -> Activation:
    spec = ks.parse(f"dual({text}, circle())")
    kernel = spec.kernel(spec.columns(1, None))
    assert isinstance(kernel, Dual)
    return kernel.activation


@pytest.mark.parametrize("text", TEXTS)
def test_round_trip(text: str) -> None:
    activation = activation_of(text)
    back = from_written(json.loads(json.dumps(written(activation))))
    assert type(back) is type(activation)
    x = np.linspace(-3, 3, 50)
    assert np.array_equal(back.evaluate(x), activation.evaluate(x))
    assert back == activation


@pytest.mark.parametrize("data", [{"name": "relu"}, {"name": "nothing", "arguments": {}}, {"text": "relu)"}])
def test_damage(data: dict) -> None:
    with pytest.raises((KeyError, ValueError, ks.KernelspecError)):
        from_written(data)
