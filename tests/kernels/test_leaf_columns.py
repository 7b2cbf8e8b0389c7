"""Which columns the leaves of a kernel are on."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.elaboration.scope import Columns
from kernelspec.kernels.leaf import Leaf
from kernelspec.kernels.parts import leaf_columns


def compares(leaf: Leaf) -> bool:
    return leaf.compares_categories


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("gaussian()", set()),
        ("match()", {0, 1, 2}),
        ("match()[2]*gaussian()[0]", {2}),
        ("(match()[0] + gaussian()[1])[2, 0]", {2}),
        ("dual(relu, match()[1])", {1}),
        ("full(relu, input=image(1, 3, 1, base=match()))", {0, 1, 2}),
    ],
)
def test_columns(text: str, columns: set[int]) -> None:
    assert leaf_columns(ks.parse(text).kernel(Columns(3)), compares) == columns


def test_where_they_cannot_be_told() -> None:
    spec = ks.parse("match()*gaussian()")
    assert leaf_columns(spec.symbolic_kernel(spec.columns()), compares) is None
