"""The numbers of a symbolic tree, with their derivatives."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.elaboration.scope import Columns
from kernelspec.elaboration.valued_program import as_program
from kernelspec.exchange.derivatives import compile_numbers

PROGRAM = as_program("param s > 0\nparam t > 0\ns*t**2*stretch(gaussian(scale=2*s), [t, 1]) + matern(nu=3/2)")


def test_numbers_and_slopes() -> None:
    kernel = PROGRAM.symbolic_kernel(Columns(2))
    numbers = compile_numbers(kernel, ("s", "t"))([3.0, 0.5])
    weight, _ = kernel.weights
    assert numbers.value(weight) == pytest.approx(0.75)
    np.testing.assert_allclose(numbers.slope(weight), [0.25, 3])
    assert numbers.value(7) == 7.0
    np.testing.assert_array_equal(numbers.slope(7), [0, 0])
    first, second = kernel.terms
    assert numbers.depends(first)
    assert not numbers.depends(second)
    entry, fixed = first.matrix
    np.testing.assert_allclose(numbers.slope(entry), [0, -4])
    assert numbers.value(fixed) == 1


def test_the_tree_in_numbers() -> None:
    kernel = PROGRAM.symbolic_kernel(Columns(2))
    numeric = compile_numbers(kernel, ("s", "t"))([3.0, 0.5]).numeric(kernel)
    assert numeric == PROGRAM.with_params({"s": 3, "t": 0.5}).kernel(Columns(2))


def test_without_parameters() -> None:
    kernel = as_program("2*gaussian(scale=3)").symbolic_kernel(Columns(1))
    numbers = compile_numbers(kernel, ())([])
    assert numbers.numeric(kernel) == as_program("2*gaussian(scale=3)").kernel(Columns(1))
    assert not numbers.depends(kernel)
