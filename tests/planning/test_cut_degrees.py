"""Parts of a plan whose samples are biased."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.planning.cut_degrees import cut_degrees, cut_lines


def kernel_of(text: str):
    spec = ks.parse(text)
    return spec.kernel(spec.columns(2, None))


def test_found_anywhere_in_the_tree_once() -> None:
    text = (
        "2 * dual(relu, dual(step, gaussian(), max_degree=5)) * laplace() + dual(step, gaussian(), max_degree=5)[0, 1]"
    )
    (found,) = cut_degrees([kernel_of(text)])
    assert found.max_degree == 5
    assert cut_lines([found]) == [
        "  biased: dual(step, …) is cut at degree 5, so that its features have a mean within "
        f"{found.omitted():.3g} of it"
    ]


@pytest.mark.parametrize("text", ["dual(relu, gaussian())", "dual(hermite(2), gaussian(), max_degree=2)", "gaussian()"])
def test_nothing_is_left_out(text: str) -> None:
    assert cut_degrees([kernel_of(text)]) == ()
