"""Which columns a kernel reads, and as what."""

from __future__ import annotations

import pytest

import kernelspec as ks
from kernelspec.elaboration.data_columns import layout_of
from kernelspec.elaboration.scope import Columns


@pytest.mark.parametrize(
    ("text", "numeric", "categorical"),
    [
        ("gaussian()", (0, 1, 2, 3), ()),
        ("gaussian()[2, 0]", (0, 2), ()),
        ("gaussian()[0:2] * match()[3]", (0, 1), (3,)),
        ("gaussian()[0] + match()[0]", (0,), (0,)),
        ("(gaussian()[1] + match()[0])[2:4]", (3,), (2,)),
        ("stretch(gaussian()[0], [[1, 0, 0, 0], [0, 1, 0, 0]])", (0, 1, 2, 3), ()),
        ("stretch(gaussian()[0], 2)", (0,), ()),
        ("modulate(gaussian()[0], by=1)", (0, 1, 2, 3), ()),
        ("gaussian() - gaussian()", (), ()),
        ("(laplace() * match()[1])[0, 3]", (0, 3), (3,)),
    ],
)
def test_columns(text: str, numeric: tuple[int, ...], categorical: tuple[int, ...]) -> None:
    columns = Columns(4, ("a", "b", "c", "e"))
    layout = layout_of(ks.parse(text).kernel(columns), columns)
    assert (layout.dim, layout.names) == (4, ("a", "b", "c", "e"))
    assert (layout.numeric, layout.categorical) == (numeric, categorical)
