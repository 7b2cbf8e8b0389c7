"""A form of a later version refuses every question, where it stands."""

from __future__ import annotations

import numpy as np
import pytest

from kernelspec.errors import NotAvailableYet
from kernelspec.expressions.pairs import NumericPairs
from kernelspec.kernels.nodes.named import Unavailable
from kernelspec.measures.measure import measure_of


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
