"""Tests of `kernels/nodes/named.py`."""

from __future__ import annotations

import numpy as np
import pytest

import kernelspec as ks
from kernelspec.errors import NotAvailableYet
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.expressions.structured_pairs import StructuredPairs
from kernelspec.kernels.nodes.named import Named, Unavailable
from kernelspec.measures.measure import measure_of


def test_the_value_is_the_name_and_all_else_is_the_kernel() -> None:
    spec = ks.parse("3*laplace(2)")
    base = spec.kernel(spec.columns(2))
    named = Named(base=base, name="near", dim=2)
    pairs = StructuredPairs.between(2, ["age", "pay"])
    assert str(named.value(pairs)) == "near"
    assert str(named.value(pairs.map(2))) == "near(2Δ)"
    assert str(named.value(pairs.select((1,)))) == "near[pay]"
    assert (named.diagonal(), named.magnitude(), named.is_stationary) == (3, 3, True)
    assert named.has_constant_diagonal
    assert named.verdict() == base.verdict()


@pytest.mark.parametrize(
    "question",
    [
        lambda k: k.value(NumericPairs.of_vectors(np.zeros((1, 2)))),
        lambda k: k.verdict(),
        measure_of,
    ],
)
def test_every_question(question: object) -> None:
    kernel = Unavailable(dim=2, form="full")
    with pytest.raises(NotAvailableYet, match=r"full\(\) is in the language"):
        question(kernel)
    assert not kernel.is_stationary
