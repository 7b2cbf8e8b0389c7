"""dual(activation, k): what may stand where, and what is said of the rest."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.errors import ArgumentError, RangeError, SpecError, TypeMismatchError
from kernelspec.kernels.dual import Dual


def dual_of(text: str) -> Dual:
    spec = ks.parse(text)
    kernel = spec.kernel(spec.columns(2, None))
    assert isinstance(kernel, Dual)
    return kernel


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("dual(relu)", ArgumentError, "dual() needs the argument 'kernel'"),
        ("dual(gaussian())", ArgumentError, "dual() needs the argument 'kernel'"),
        ("dual(relu, gaussian(), max_degree=1.5)", RangeError, "'max_degree' must be a whole number from 0 to 10000"),
        ("dual(relu, gaussian(), max_degree=100000)", RangeError, "'max_degree' must be a whole number"),
        ("dual(relu, gaussian(), degree=3)", ArgumentError, "dual() has no argument 'degree'"),
        ("dual(relu, 2)", TypeMismatchError, "a number stands where a kernel is needed"),
        ("dual(relu, gaussian() - gaussian())", RangeError, "the zero kernel has no samples to multiply"),
        ("dual(relu, 3 * gaussian())", RangeError, "the mass of this kernel is 3: normalize the kernel"),
    ],
)
def test_messages(text: str, error: type[SpecError], message: str) -> None:
    with pytest.raises(error) as caught:
        ks.parse(text)
    assert message in caught.value.message
    assert caught.value.span is not None


def test_the_bound_is_checked_when_parameters_are_known() -> None:
    spec = ks.parse("param w\ndual(relu, w * gaussian())")
    with pytest.raises(RangeError, match="the mass of this kernel is 2"):
        ks.parse("param w = 2\ndual(relu, w * gaussian())").gram([[1.0], [2.0]])
    assert "asin" in str(ks.analyze(spec, dim=1).kernel)


def test_texts_print_and_parse_again() -> None:
    for text in ("dual(exp(c=0.25), gaussian(), max_degree=7)", "layer(relu, circle()[0], match()[1])"):
        assert str(ks.parse(str(ks.parse(text)))) == str(ks.parse(text))
