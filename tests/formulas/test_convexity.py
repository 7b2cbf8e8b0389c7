"""Proofs of convexity, and the absence of any for what is not convex."""

from __future__ import annotations

import time

import pytest

from kernelspec.expressions.polya_criterion import prove_convexity
from tests.formulas.written import POLYA, written


@pytest.mark.parametrize("text", POLYA)
def test_polya_kernels_are_proved(text: str) -> None:
    assert prove_convexity(written(text)) is not None


@pytest.mark.parametrize(
    "text",
    [
        "t -> t**2 - t",
        "t -> 3 - 2*t",
        "t -> -log(1 + t)",
        "t -> (t - 1)**2 + (t - 2)**4",
        "t -> max(1 - t, max(t/2 - 1, exp(-t)))",
        "t -> 1 + t + 0.2*cos(t) + t**2/2",
    ],
)
def test_other_convex_functions_are_proved(text: str) -> None:
    assert prove_convexity(written(text)) is not None


@pytest.mark.long
@pytest.mark.parametrize(
    "text",
    [
        "t -> exp(-t**2)",
        "t -> cos(t)",
        "t -> sqrt(t)",
        "t -> (1 + t)*exp(-t)",
        "t -> 1/(1 + t**2)",
        "t -> min(1, 2 - t)",
        "t -> 2 - abs(t - 1)",
        "t -> 1 - t + min(1, t/2) + t**2/100",
        "t -> exp(-t) - 0.0001*exp(-(t - 3)**2)",
        "t -> exp(-t) + 0.01*exp(-100*(t - 3)**2)",
        "t -> max(0, 1 - t)**0.5",
        "t -> 1/(1 - t)",
        "t -> log(t)",
        "t -> exp(-t)*(1 + 0.51*t)",
        "t -> abs(sin(t))",
    ],
)
def test_nothing_that_is_not_convex_is_proved(text: str) -> None:
    assert prove_convexity(written(text)) is None


def test_pieces_are_counted() -> None:
    whole, cut = (
        prove_convexity(written("t -> exp(-t)")),
        prove_convexity(written("t -> exp(-t)*(1 + 0.2*t + 0.05*t**2)")),
    )
    assert whole is not None
    assert cut is not None
    assert (whole.n_pieces, whole.start) == (1, 0)
    assert cut.n_pieces > 1
    assert cut.start > 0


@pytest.mark.long
def test_long_formulas_are_given_up_in_time() -> None:
    waves = " + ".join(f"sin({i}*t)/{i**3}" for i in range(1, 120))
    start = time.perf_counter()
    assert prove_convexity(written(f"t -> exp(-t) + t**2/1000 + {waves}")) is None
    assert time.perf_counter() - start < 20
