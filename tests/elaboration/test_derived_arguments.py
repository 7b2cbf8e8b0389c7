"""Arguments that powers and formulas make, within the range of those that a spec states."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.errors import RangeError

TOO_SMALL = "'scale' of this exponential() is 1e-198, and numbers that kernels are made of lie between"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("exponential(scale=1e-99)**1e99", TOO_SMALL),
        ("stretch(exponential(scale=1e-99), 2)**1e99", TOO_SMALL),
        ("radial(r -> exp(-1e198*r))", TOO_SMALL),
        ("product(t -> exp(-1e-250*t**2))", "'scale' of this gaussian() is 7.07107e+124"),
        ("powered_exponential(alpha=1e-9, scale=1e99)**1e-9", "an argument of the kernel that this makes is beyond"),
    ],
)
def test_what_cannot_be_reckoned_with_is_refused(text: str, message: str) -> None:
    for ask in (lambda: ks.analyze(text, dim=2), lambda: ks.compile(text, dim=2, n_features=8)):
        with pytest.raises(RangeError) as caught:
            ask()
        assert message in str(caught.value)


@pytest.mark.parametrize("text", ["exponential(scale=1e-99)**0.5", "radial(r -> exp(-r/1e99))", "gaussian(1e99)**1e-2"])
def test_what_can_be_is_not(text: str) -> None:
    assert ks.analyze(text, dim=2).verdict.positive_definite == "proved"
