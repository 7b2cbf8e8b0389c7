"""Activations as arguments: names, calls, lets and formulas."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.errors import ArgumentError, RangeError, SpecError, TypeMismatchError, UnknownNameError
from kernelspec.kernels.nodes.dual import Dual


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("dual(relu, gaussian())", "relu"),
        ("dual(exp(c=0.25), gaussian())", "exp(c=0.25)"),
        ("dual(exp(1/4), gaussian())", "exp(c=0.25)"),
        ("dual(gaussian, gaussian())", "gaussian(a=1)"),
        ("let s = hermite(2)\ndual(s, gaussian())", "hermite(n=2)"),
        ("param c = 2\ndual(exp(c), gaussian())", "exp(c=2)"),
        ("dual(kernel=gaussian(), activation=abs)", "abs"),
        ("dual(activation(x -> x**2), gaussian())", "activation(x -> x**2)"),
    ],
)
def test_position_decides_what_a_name_means(text: str, shown: str) -> None:
    kernel = ks.parse(text).kernel(Columns(2))
    assert isinstance(kernel, Dual)
    assert str(kernel.activation) == shown


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("dual(rellu, gaussian())", UnknownNameError, "there is no activation 'rellu'; did you mean 'relu'?"),
        ("dual(zzz, gaussian())", UnknownNameError, "there is no activation 'zzz'; there are abs, cos"),
        ("dual(2, gaussian())", TypeMismatchError, "an activation is needed here, such as relu"),
        ("dual(x -> x, gaussian())", TypeMismatchError, "write a formula as in activation(x -> …)"),
        ("dual(activation(relu), gaussian())", ArgumentError, "activation() takes one formula"),
        ("dual(exp(c=-1), gaussian())", RangeError, "must be"),
        ("dual(relu(2), gaussian())", ArgumentError, "relu() takes no arguments"),
    ],
)
def test_messages(text: str, error: type[SpecError], message: str) -> None:
    with pytest.raises(error) as caught:
        ks.parse(text)
    assert message in caught.value.message
    assert caught.value.span is not None
