"""What is positive definite once it is multiplied out."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.verdicts.rules import Question, by_expansion


@pytest.mark.parametrize("dim", [1, 4, None])
def test_squares_cancel(dim: int | None) -> None:
    verdict = ks.analyze("(gaussian() + laplace())**2 - (gaussian()**2 + laplace()**2)", dim=dim).verdict
    assert verdict.positive_definite == "proved"
    assert verdict.reasons[-1] == "multiplied out, the kernel is 2*gaussian(scale=1)*laplace(scale=1)"


def test_what_stays_signed_is_left_open() -> None:
    kernel = ks.parse("(gaussian() - laplace())**2").symbolic_kernel(Columns(1))
    assert by_expansion(Question(kernel)) is None


def test_long_kernels_are_not_shown() -> None:
    sums = " + ".join(f"gaussian(scale={n})[0]*laplace()[1]" for n in range(2, 12))
    verdict = ks.analyze(f"(gaussian() + {sums})**2 - gaussian()**2", dim=2).verdict
    assert verdict.reasons[-1] == "multiplied out, the kernel is a weighted sum of products"
