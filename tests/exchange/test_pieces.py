"""Numbers and texts that kernels of other libraries become."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from kernelspec.errors import NoCounterpartError, RangeError
from kernelspec.exchange.pieces import array, number, numbers, of_distance, on_one_column, selected
from kernelspec.spec import parse


@pytest.mark.parametrize("value", [2.0, 2, np.float32(2), [2.0], np.array([[2.0]]), np.array(2.0)])
def test_one_number(value: object) -> None:
    assert number(SimpleNamespace(a=value), "a") == 2.0


def test_several_numbers() -> None:
    kernel = SimpleNamespace(a=[[1.0, 2.0]], b=np.ones((2, 2)), c=[np.inf])
    assert numbers(kernel, "a") == (1.0, 2.0)
    assert array(kernel, "b").shape == (2, 2)
    for name, reason in (("b", "batch of kernels"), ("c", "not finite"), ("d", "no attribute 'd'")):
        with pytest.raises(NoCounterpartError, match=reason):
            numbers(kernel, name)
    with pytest.raises(NoCounterpartError, match="2 numbers, where there should be one"):
        number(kernel, "a")


def test_lengths() -> None:
    assert str(of_distance(None, "gaussian", "", [0.1], None, None)) == "gaussian(scale=0.1)"
    assert str(of_distance(None, "matern", "nu=1.5", [0.1, 2.0], "l2", None)) == "stretch(matern(nu=1.5), [0.1, 2])"
    assert str(of_distance(None, "matern", "nu=0.5", [3.0], "l1", None)) == "laplace(scale=3)"
    assert str(of_distance(None, "matern", "nu=1.5", [3.0], "l1", 1)) == "matern(nu=1.5, scale=3)"
    with pytest.raises(RangeError, match="'scale' of gaussian"):
        of_distance(None, "gaussian", "", [0.0], None, None)


def test_columns() -> None:
    assert str(selected(parse("gaussian() + laplace()"), [2, 0])) == "(gaussian() + laplace())[2, 0]"
    assert str(selected(parse("gaussian()"), None)) == "gaussian()"
    assert str(on_one_column(None, "cosine(by=1)", 1, "cos")) == "cosine(by=1)"
    with pytest.raises(NoCounterpartError, match=r"On one column it is cosine\(by=1\): say dim=1"):
        on_one_column(None, "cosine(by=1)", 2, "cos")
