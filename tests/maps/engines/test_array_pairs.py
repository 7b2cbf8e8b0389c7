"""Every kernel and law asked about pairs of another library: NumPy's values, or refused by its name."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.errors import PlanError
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.laws.rules import law_of
from kernelspec.maps.arrays import ArrayPairs, ArrayRows, ArrayValues
from kernelspec.tables.rows import Rows
from tests.laws.test_rules import CATALOGUE, OTHERS, X
from tests.laws.texts import kernel_of

xp = pytest.importorskip("array_api_strict")

REFUSED = {
    "polya(weibull(shape=2, scale=3))[0, 1]": "polya",
    "radial(r -> tanh(r)/r)[0, 1]": "radial.*Taylor",
    "full(exp(c=1), input=image(1, 2, 1))[0, 1]": "full",
    "matern(nu=1.3)[0, 1]": "matern.*kve",
    "dual(gelu, gaussian())[0, 1]": "dual.gelu",
    "brownian(order=2, until=2)[2]": "brownian",
    "product(t -> max(0, 1 - abs(t)))[0, 1] * bochner(student_t(dof=2.2))[0]": "bochner.*kve",
}
"""What SciPy or loops of NumPy compute, and what the error must name."""


def rows(numbers: np.ndarray) -> ArrayRows:
    return ArrayRows(ArrayValues(xp.asarray(numbers), xp, None))


@pytest.mark.parametrize("text", list(dict.fromkeys([*CATALOGUE.values(), *OTHERS, *REFUSED])))
def test_every_kernel_and_its_law(text: str) -> None:
    """A kernel or node of a new class has an example here as soon as it has one for its law."""
    kernel, other = kernel_of(text, 6), np.vstack([X, 2 * X[:1]])
    pairs, exact = ArrayPairs(rows(X), rows(other)), NumericPairs(Rows(X), Rows(other))
    refused = "full" if text.startswith("full(") else REFUSED.get(text)
    for value in (kernel.value, law_of(kernel).value):
        if refused is not None:
            with pytest.raises(PlanError, match=f"(?s)the values of {refused}.*X.cpu"):
                value(pairs)
            continue
        found = value(pairs)
        numbers = found if isinstance(found, np.ndarray) else np.asarray(found.values)  # constant() is NumPy's one
        np.testing.assert_allclose(numbers, value(exact), rtol=1e-14, atol=1e-15)


def test_what_no_kernel_above_asks() -> None:
    pairs, exact = ArrayPairs(rows(X), rows(X[1:])), NumericPairs(Rows(X), Rows(X[1:]))
    for of in (lambda p: p.cosine(), lambda p: p.map([[1, 2, 0, 0, 0, 1]] * 2).absolute_sum(), lambda p: p.equal()):
        np.testing.assert_allclose(np.asarray(of(pairs).values), of(exact), rtol=1e-14, atol=1e-15)
    assert pairs.shape == (4, 3)
    assert pairs.key_agreement(0.25) == 0.25
