"""What calls stand for: functions, forms, kernels, and forms that are yet to come."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.errors import RangeError, UnknownNameError


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("strech(gaussian(), 2)", "there is no kernel 'strech'; did you mean 'stretch'?"),
        ("gaussian(sqr(2))", "there is no kernel 'sqr'; did you mean 'sqrt'?"),
        ("relu(gaussian())", "there is no kernel 'relu'; as an activation it goes inside dual(relu, …)"),
    ],
)
def test_names_that_are_no_kernel(text: str, message: str) -> None:
    with pytest.raises(UnknownNameError) as caught:
        ks.parse(text)
    assert caught.value.message == message


def test_too_many_kernels_through_lets() -> None:
    lines = ["let k0 = gaussian()"] + [f"let k{i + 1} = k{i} * k{i} + k{i}" for i in range(20)]
    with pytest.raises(RangeError, match="more than 20,000 kernels, counting every use of a let"):
        ks.parse("\n".join([*lines, "k20"]))
