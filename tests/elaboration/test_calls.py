"""What calls stand for: functions, forms, kernels, and forms that are yet to come."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.elaboration.vocabulary import UPCOMING
from kernelspec.errors import NotAvailableYet, RangeError, UnknownNameError


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


@pytest.mark.parametrize("name", sorted(UPCOMING))
def test_upcoming_forms_parse_and_say_so_when_asked(name: str) -> None:
    spec = ks.parse(f"gaussian() + {name}()")
    with pytest.raises(NotAvailableYet, match=rf"{name}\(\) is in the language, but not available yet"):
        ks.analyze(spec, dim=2)


def test_too_many_kernels_through_lets() -> None:
    lines = ["let k0 = gaussian()"] + [f"let k{i + 1} = k{i} * k{i} + k{i}" for i in range(20)]
    with pytest.raises(RangeError, match="more than 20,000 kernels, counting every use of a let"):
        ks.parse("\n".join([*lines, "k20"]))
