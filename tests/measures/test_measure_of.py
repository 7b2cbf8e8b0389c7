"""From kernels to spectral measures: every class of kernels has a rule, or a reason why there is no measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import NotStationaryError
from kernelspec.kernels.kernel import Kernel, Verdict
from kernelspec.measures.measure import measure_of
from tests.measures.oracles import measure_of_text

STATIONARY = [
    "gaussian()", "0.3*laplace() + 0.7*gaussian()", "cauchy()*gaussian()", "gaussian()[0]*laplace()[1]",
    "stretch(matern(nu=3/2), [1, 2])", "shift(gaussian(), by=[0.5, 1])", "modulate(laplace(), by=1)",
    "tilt(gaussian(), by=0.3)", "gaussian() - 0.5*laplace()", "cosine(by=[1, 2])", "cauchy()**3",
]  # fmt: skip


@pytest.mark.parametrize("text", STATIONARY)
def test_the_transform_of_the_measure_is_the_kernel(text: str) -> None:
    """k(Δ) = ∫ exp(i ω·Δ) μ(dω), also where μ is complex."""
    lags = np.random.default_rng(0).uniform(-1, 1, (6, 2))
    found = measure_of_text(text, 2).characteristic_function(lags)
    expected = ks.parse(text).gram(lags, np.zeros((1, 2)))[:, 0]
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("linear()", "no function of x"),
        ("match()", "there is no spectral measure|categories"),
        ("gaussian()*match()[0]", "there is no spectral measure|categories"),
        ("full(relu, input=image(1, 2, 1, base=circle()))", "mixture over all paths"),
    ],
)
def test_kernels_without_a_measure_say_why(text: str, reason: str) -> None:
    with pytest.raises(NotStationaryError, match=reason):
        measure_of_text(text, 2)


def test_a_class_without_a_rule_is_refused() -> None:
    @dataclass(frozen=True, kw_only=True)
    class Unknown(Kernel):
        """A kernel that nobody registered."""

        def value(self, pairs: Any) -> Any:
            return 1

        def diagonal(self) -> Any:
            return 1

        def magnitude(self) -> Any:
            return 1

        def transposed(self) -> Kernel:
            return self

        def verdict(self) -> Verdict:
            return Verdict("proved", ())

        @property
        def is_stationary(self) -> bool:
            return True

        def __str__(self) -> str:
            return "unknown()"

    with pytest.raises(TypeError, match="no rule for the spectral measure of Unknown: register measure_rule"):
        measure_of(Unknown(dim=1))
