"""The catalogue of activations, and a second implementation of some of its duals."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.activations.activation import ACTIVATIONS, Activation, load_activation
from kernelspec.errors import UnknownNameError


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_entry(name: str) -> None:
    cls = load_activation(name)
    assert issubclass(cls, Activation)
    assert cls.name == name
    assert cls.formula
    assert cls.reference
    assert list(ACTIVATIONS) == sorted(ACTIVATIONS)


def test_unknown_name() -> None:
    with pytest.raises(UnknownNameError, match="no activation called 'tanh'; there are abs, cos"):
        load_activation("tanh")


@pytest.mark.parametrize(
    ("name", "theirs"),
    [
        ("abs", lambda stax: stax.Abs()),
        ("cos", lambda stax: stax.Cos()),
        ("erf", lambda stax: stax.Erf()),
        ("gelu", lambda stax: stax.Gelu()),
        ("relu", lambda stax: stax.Relu()),
        ("sin", lambda stax: stax.Sin()),
    ],
    ids=["abs", "cos", "erf", "gelu", "relu", "sin"],
)
def test_against_neural_tangents(name: str, theirs: object) -> None:
    """Passes with neural-tangents 0.6.5 on jax and jaxlib 0.4.30 and tf2jax 0.3.6, with NumPy 2.4.

    On jax 0.10.2 its imports fail: `jax.core` has no `Jaxpr` there. Then there is nothing to compare with.
    """
    stax = pytest.importorskip("neural_tangents", exc_type=ImportError).stax
    assert callable(theirs)
    _, _, kernel = stax.serial(stax.Dense(1, W_std=1.0, b_std=0.0), theirs(stax))
    angle = np.linspace(0, np.pi, 9)
    rows = np.sqrt(2) * np.stack([np.cos(angle), np.sin(angle)], axis=1)  # rows of mean square one
    found = np.asarray(kernel(rows, None, "nngp"))
    activation = load_activation(name)()
    np.testing.assert_allclose(found / found[0, 0], activation.dual(rows @ rows.T / 2), atol=1e-5)
