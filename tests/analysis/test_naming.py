"""What names stand for: parameters, lets, constants, and kernels that lack their parentheses."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.analysis.forms.catalogue import FORMS
from kernelspec.analysis.vocabulary import UPCOMING
from kernelspec.errors import ParameterError, TypeMismatchError
from kernelspec.kernels.catalogue import KERNELS

ONE = [[0.0], [1.0]]


@pytest.mark.parametrize("name", sorted({*KERNELS, *FORMS, *UPCOMING}))
def test_a_bare_kernel_name_says_how_to_write_it(name: str) -> None:
    with pytest.raises(TypeMismatchError) as caught:
        ks.parse(name)
    assert caught.value.message == f"'{name}' is a kernel: write {name}(…)"


def test_defaults_may_be_formulas_of_earlier_names() -> None:
    spec = ks.parse("param s = 2\nparam t = s**2\ngaussian(scale=t)")
    assert spec.params == {"s": 2.0, "t": None}
    assert spec.gram(ONE)[0, 1] == pytest.approx(np.exp(-1 / 32))
    assert spec.with_params({"s": 1}).gram(ONE)[0, 1] == pytest.approx(np.exp(-1 / 2))


def test_a_free_parameter_is_asked_for_where_it_is_used() -> None:
    spec = ks.parse("param s > 0\n2*gaussian(s)", name="churn.kernel")
    with pytest.raises(ParameterError) as caught:
        spec.gram([[0.0], [1.0]])
    assert str(caught.value).startswith("churn.kernel:2:12: error: parameter 's' has no value")


@pytest.mark.parametrize("text", ["cosine(ones)", "modulate(gaussian(), by=ones)", "cosine(2/d)"])
def test_a_constant_vector_needs_no_number_of_columns(text: str) -> None:
    assert ks.analyze(text).verdict.positive_definite == "proved"


def test_names_of_the_spec_come_before_the_constants() -> None:
    assert ks.parse("let pi = 2\ngaussian(pi)").gram(ONE)[0, 1] == pytest.approx(np.exp(-1 / 8))
    assert ks.parse("gaussian(pi)").gram(ONE)[0, 1] == pytest.approx(np.exp(-1 / (2 * np.pi**2)))
